import type { RiskMark } from "../../contract/approval-port.ts";

const MOST = 20_000;

/** Programs, a pattern for arguments (in spaces), and the risk. */
type Line = [names: string, args: RegExp, kind: RiskMark["kind"], text: string, level?: RiskMark["level"]];

const CONTAINERS = "docker podman nerdctl";
const CLOUDS = "gcloud az doctl hcloud fly flyctl heroku";

const LINES: readonly Line[] = [
  ["rsync rclone", / --del/, "deletes", "It deletes files at the destination that the source does not have."],
  ["rsync", / --remove-source/, "deletes", "It deletes the files that it copied."],
  [
    "rclone",
    / (sync|move|moveto|delete|deletefile|purge|rmdirs?|cleanup) /,
    "deletes",
    "It deletes files at another location.",
  ],
  [
    CONTAINERS,
    /^( -\S+)* (((system|volume|container|image|network|builder|buildx) )?(prune|rm|rmi)|volume remove) /,
    "deletes",
    "It deletes containers, images or volumes.",
  ],
  [
    `${CONTAINERS} docker-compose podman-compose`,
    /^(?=.* down )(?=.* (-v|--volumes|--rmi))/,
    "deletes",
    "It deletes containers together with their volumes or images.",
  ],
  ["kubectl oc", / (delete|drain|--prune|--force) /, "deletes", "It deletes objects of a cluster."],
  ["helm", / (uninstall|delete|del|un) /, "deletes", "It deletes objects of a cluster."],
  [
    "terraform tofu terragrunt pulumi cdk cdktf vagrant serverless sls sst",
    / (destroy|-?-destroy|-?-auto-approve|--skip-preview|remove|state rm) /,
    "deletes",
    "It destroys or changes machines and services without asking.",
  ],
  [
    "aws",
    / (rm|rb|--delete|(delete|terminate|purge|deregister|remove)-[\w-]+) /,
    "deletes",
    "It deletes data or services at another location.",
  ],
  [
    CLOUDS,
    / ([\w-]+:)?(delete|destroy|purge|rm) /,
    "deletes",
    "It deletes data or services at another location.",
  ],
  ["gsutil s3cmd mc", / (rm|rb|del|mirror|-d) /, "deletes", "It deletes data at another location."],
  ["dropdb dropuser", /^ +(?!--help )\S/, "deletes", "It deletes a database or one of its users."],
  ["redis-cli mysqladmin", / (flushall|flushdb|drop) /i, "deletes", "It deletes the data of a database."],
  [
    "apt apt-get aptitude dnf yum zypper apk brew snap pacman",
    /^( -\S+)* (remove|purge|autoremove|erase|del|uninstall|-R\w*) /,
    "deletes",
    "It removes programs from the machine.",
  ],
  ["gpg gpg2", / --delete-/, "deletes", "It deletes keys."],
  ["crontab", / -r /, "deletes", "It deletes all scheduled jobs."],
  ["mv", / \/dev\/null $/, "deletes", "It deletes the files that it moves."],
  ["cp", / \/dev\/null \S/, "deletes", "It empties a file.", "care"],
  [
    "git",
    / (tag (-d|--delete)|update-ref -d|worktree remove|remote (rm|remove)) /,
    "history",
    "It deletes a named reference of git.",
  ],

  [
    "zpool zfs",
    / (destroy|create|labelclear|rollback|detach|offline|remove|replace) /,
    "device",
    "It changes or destroys a pool of disks.",
  ],
  [
    "lvremove vgremove pvremove lvreduce vgreduce pvcreate lvresize lvconvert vgcfgrestore",
    /^/,
    "device",
    "It changes or destroys a volume of disks.",
  ],
  [
    "mdadm",
    / (--(create|zero-superblock|remove|fail|stop|grow|build)|-[CSrfGB]) /,
    "device",
    "It changes a group of disks.",
  ],
  ["btrfs", / (delete|remove|replace|restore|rescue) /, "device", "It changes a file system."],
  ["nvme", / (format|sanitize|delete-ns|write\S*) /, "device", "It destroys data of a disk."],

  [
    "aws",
    /^(?=.* (cp|mv|sync) )(?=.* s3:\/\/\S* )(?!.* (cp|mv|sync) (-\S+ )*s3:)/,
    "sends",
    "It sends files to another location.",
  ],
  ["aws", / (put-object|put-secret-value|upload-[\w-]+) /, "sends", "It sends files to another location."],
  [
    "gcloud az",
    / (upload|upload-batch|scp|storage (cp|mv|rsync)) /,
    "sends",
    "It sends files to or from another location.",
  ],
  ["s3cmd mc", / (put|sync|cp) /, "sends", "It sends files to or from another location."],
  ["git", / remote (add|set-url) /, "sends", "It changes the destination of commits.", "care"],
  ["git", / send-email /, "message", "It sends a message, which cannot be undone."],
  [
    "curl xh http https",
    / ((-X ?|--request[ =])?(DELETE|PUT|PATCH|POST)) /,
    "sends",
    "It changes something at the host that it names.",
    "care",
  ],
  [
    "gh glab hub",
    / ((release|gist|repo|pr|mr|issue|label|secret|variable) (create|upload|delete|edit|merge|comment|note|close|review|set|remove|rename|archive|transfer)|(-X|--method|-f|-F|--field|--raw-field|--input)) /,
    "sends",
    "It changes public or shared data at the host of the repository.",
  ],
  [
    "vercel netlify firebase wrangler fly flyctl gcloud mvn gradle gradlew mvnw cdk serverless sls",
    / (deploy|publish|--prod|publish\w+) /,
    "sends",
    "It publishes files that others use.",
  ],
  ["ssh mosh", / \S/, "network", "It runs a command on another machine.", "care"],

  ["setcap", / \S/, "permissions", "It gives a program rights of root."],
  [
    "useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel delgroup gpasswd passwd chpasswd newusers chage chsh visudo vipw dscl",
    /^/,
    "permissions",
    "It changes who may use the machine.",
  ],
  [
    "iptables ip6tables nft ufw firewall-cmd pfctl ebtables arptables iptables-restore",
    /^(?!.* (-L\S*|-S|-s|--list\S*|list|status|show|--get-\S*|--state|--version|--help) )/,
    "permissions",
    "It changes which connections the machine lets through.",
  ],
  [
    "setenforce aa-disable aa-teardown aa-complain csrutil spctl",
    /^/,
    "permissions",
    "It changes the rights of programs.",
  ],
  ["insmod modprobe rmmod kextload kextunload", /^/, "permissions", "It loads or removes kernel modules."],
  ["sysctl", / (-w|--write|-p|--load|--system|[\w.]+=\S*) /, "lasting", "It changes settings of the kernel."],

  [
    CONTAINERS,
    / (--privileged|--(pid|ipc|uts|userns|cgroupns)[= ]host|--cap-add|--device|--security-opt[= ]\S*(unconfined|disable))/,
    "elevated",
    "It gives a container rights over the machine.",
  ],
  ["nsenter", /^/, "elevated", "It acts with the view of another program."],

  ["gpg gpg2", / --export-secret/, "secret", "It shows secret keys."],
  [
    "security",
    / (find-(generic|internet)-password|dump-keychain|export) /,
    "secret",
    "It shows passwords of the keychain.",
  ],
  ["pass gopass", / (show|otp|grep|-c|[\w.-]+\/\S+) /, "secret", "It shows a password."],
  ["op", / (read|inject|run|get) /, "secret", "It shows a password."],
  ["bw lpass keepassxc-cli secret-tool", / (get|export|list|show|lookup) /, "secret", "It shows a password."],
  ["vault doppler infisical", / (read|get|secrets|export|run|login) /, "secret", "It shows secrets."],
  [
    "aws",
    / (get-secret-value|--with-decryption|get-session-token|export-credentials|get-login-password|get-authorization-token) /,
    "secret",
    "It shows secrets.",
  ],
  [
    "gcloud az gh heroku",
    / (print-access-token|print-identity-token|get-access-token|auth token|versions access|keyvault secret|auth:token) /,
    "secret",
    "It shows secrets.",
  ],
  ["kubectl oc", / (get|describe|edit) (-\S+ )?secrets?[ /]/, "secret", "It shows secrets of a cluster."],
  ["git", / credential (fill|approve) /, "secret", "It shows a password that git keeps."],
  ["ansible-vault", / (view|decrypt|edit) /, "secret", "It shows secrets."],
  ["sops age rage", / (-d|--decrypt|decrypt) /, "secret", "It shows secrets."],
  [
    "printenv",
    /(key|token|secret|passw|credential)/i,
    "secret",
    "It shows a variable that may hold a secret.",
  ],

  [
    "systemctl service launchctl loginctl rc-service",
    / (stop|disable|mask|kill\S*|isolate|restart|try-restart|reload-or-restart|poweroff|reboot|halt|suspend|unload|bootout|remove|terminate-\S+) /,
    "ends",
    "It stops services of the machine.",
  ],
  [
    "systemctl service launchctl loginctl rc-service rc-update chkconfig",
    / (start|enable|reenable|link|edit|set-\S+|daemon-re\S+|preset\S*|add-\S+|load|bootstrap|submit|kickstart|enable-linger|add|on) /,
    "lasting",
    "It schedules a program, to run later or at each start.",
  ],
  ["crontab", /^(?!( -u \S+)? -l $)/, "lasting", "It schedules a program, to run later or at each start."],
];

const BY_NAME = Map.groupBy(
  LINES.flatMap(([names, ...line]) => names.split(" ").map((name) => ({ name, line }))),
  ({ name }) => name,
);

export function knownLineMarks(name: string, words: readonly string[]): RiskMark[] {
  const args = ` ${words.slice(1).join(" ").slice(0, MOST)} `;
  return (BY_NAME.get(name) ?? []).flatMap(({ line: [pattern, kind, text, level = "danger"] }) =>
    pattern.test(args) ? [{ kind, level, text }] : [],
  );
}
