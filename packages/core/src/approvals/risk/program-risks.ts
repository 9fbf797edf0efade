import type { RiskMark } from "../../contract/approval-port.ts";
import { knownLineMarks } from "./known-lines.ts";
import { readOptionWords } from "./read-words.ts";
import { isDevice, isOutside, isSecretPath, isRootTree, type RiskContext } from "./risk-paths.ts";

type Rule = (words: readonly string[], context: RiskContext) => readonly (RiskMark | false)[];

const mark = (kind: RiskMark["kind"], level: RiskMark["level"], text: string): RiskMark => ({
  kind,
  level,
  text,
});
const few = (words: readonly string[]) =>
  words.length > 3 ? `${words.slice(0, 3).join(", ")} and ${words.length - 3} more` : words.join(", ");

const removes: Rule = (words, context) => {
  const { has, rest: given } = readOptionWords(words);
  const all = has("r", "R", "recursive");
  const rest = given.filter((word) => !/^[+;\\]$/.test(word));
  const isMany = rest.length === 0 || rest.some((word) => /[*?[]|\{.*\}/.test(word));
  const far = rest.filter((word) => isRootTree(word) || isOutside(word, context));
  const what = few(rest) || "its arguments";
  return [
    far.length > 0 &&
      mark("deletes", "danger", `It deletes ${few(far)}, outside of the folders of the session.`),
    all
      ? mark("deletes", "danger", `It deletes ${what} and everything below.`)
      : isMany
        ? mark("deletes", "danger", `It deletes all files that match ${what}.`)
        : mark("deletes", "care", `It deletes ${what}.`),
  ];
};

const destroys: Rule = (words) => [
  mark(
    "deletes",
    "danger",
    `It destroys the contents of ${few(readOptionWords(words).rest) || "its arguments"}.`,
  ),
];

const formats: Rule = (words) => [
  mark("device", "danger", `It changes a disk: ${few(readOptionWords(words).rest) || words[0]!}.`),
];

const copiesRaw: Rule = (words) => {
  const to = words.find((word) => word.startsWith("of="))?.slice(3);
  if (to === undefined) return [];
  return [
    isDevice(to)
      ? mark("device", "danger", `It writes onto the device ${to}.`)
      : mark("deletes", "care", `It overwrites ${to}.`),
  ];
};

const permits: Rule = (words, context) => {
  const { has, rest } = readOptionWords(words);
  const wide = words
    .slice(1)
    .find((word) =>
      /^[0-7]*[0-7]?[2367][2367]$|^[0-7]?[0-7][0-7][2367]$|^0?[2-7][0-7]{3}$|(^|,)([ao]|[ug]+[ao])*[+=][rwxX]*w|(^|,)[ugoa]*[+=][rwxX]*s/.test(
        word,
      ),
    );
  const all = has("R", "recursive");
  const far = rest.slice(1).filter((word) => isRootTree(word) || isOutside(word, context));
  return [
    all &&
      mark(
        "permissions",
        "danger",
        `It changes the permissions of ${few(rest.slice(1))} and everything below.`,
      ),
    wide !== undefined &&
      mark("permissions", "danger", `It lets others write files, or run them as their owner: ${wide}.`),
    far.length > 0 &&
      mark("outside", "danger", `It changes ${few(far)}, outside of the folders of the session.`),
    mark("permissions", "care", "It changes who may use files."),
  ];
};

const fetches: Rule = (words) => {
  const file = words.find((word, index) => isUpload(words[index - 1] ?? "", word));
  const { has } = readOptionWords(words);
  const sends =
    has(
      "data",
      "data-binary",
      "data-raw",
      "data-ascii",
      "data-urlencode",
      "form",
      "json",
      "upload-file",
      "post-data",
      "post-file",
      "body-data",
      "body-file",
    ) || words.some((word) => /^-[a-zA-Z]*[dFT]/.test(word));
  return [
    file !== undefined
      ? mark("sends", "danger", `It sends the contents of a file: ${file}.`)
      : sends
        ? mark("sends", "care", "It sends data to the host that it names.")
        : mark("network", "care", "It reaches the network."),
  ];
};

function isUpload(before: string, word: string): boolean {
  if (/^(-[a-zA-Z]*T|--upload-file|--post-file|--body-file)$/.test(before)) return true;
  if (/^(--upload-file|--post-file|--body-file)=|^-T./.test(word)) return true;
  const takesData = /^(-[a-zA-Z]*[dF]|--(data(-binary|-ascii|-urlencode)?|form|json))$/.test(before);
  if (takesData) return /^([\w-]*=)?[@<]|^[\w.-]+@/.test(word);
  return /^(-[a-zA-Z]*[dF]|--(data(-binary|-ascii|-urlencode)?|form|json)=)([\w-]*=)?[@<]/.test(word);
}

const copiesAway: Rule = (words) => {
  const away = readOptionWords(words).rest.filter(
    (word) => /^([\w.-]+@)?[\w.-]+::?|^rsync:\/\//.test(word) && !/^[./~]/.test(word),
  );
  if (away.length === 0) return [];
  return [mark("sends", "danger", `It copies files to or from another machine: ${few(away)}.`)];
};

const connects: Rule = () => [mark("sends", "danger", "It opens a connection that can send any file.")];
const writesMail: Rule = () => [mark("message", "danger", "It sends a message, which cannot be undone.")];
const publishes = (what: string) => mark("sends", "danger", `It publishes ${what}.`);

const ends: Rule = (words) => [
  mark("ends", "danger", `It ends programs, possibly of others: ${few(words.slice(1))}.`),
];

const finds: Rule = (words) => [
  words.includes("-delete") && mark("deletes", "danger", "It deletes the files that it finds."),
  words.some((word) => /^-(exec|execdir|ok|okdir)$/.test(word)) &&
    mark("carrier", "care", "It runs a command for the files that it finds."),
  words.some((word) => word.startsWith("-fprint")) && mark("deletes", "care", "It overwrites a file."),
];

const versions: Rule = (words) => {
  const at = words.findIndex(
    (word, index) => index > 0 && !word.startsWith("-") && !/^-[Cc]$/.test(words[index - 1]!),
  );
  const name = words[at];
  const args = words.slice(at);
  const { has, rest } = readOptionWords(args);
  const lost = (text: string) => [mark("history", "danger", text)];
  switch (name ?? "") {
    case "clean":
      return has("n", "dry-run") ? [] : lost("It deletes untracked files.");
    case "reset":
      return has("hard", "merge", "keep") ? lost("It discards uncommitted changes.") : [];
    case "checkout":
    case "switch":
    case "restore":
      return has("f", "force", "discard-changes") ||
        name === "restore" ||
        args.includes("--") ||
        rest.includes(".")
        ? lost("It discards uncommitted changes.")
        : [];
    case "push": {
      const [to = ""] = rest;
      const named =
        args.find((word) => /:\/\/|^[\w.-]+@[\w.-]+:/.test(word)) ??
        (/^[./~]|^[\w.-]+:./.test(to) ? to : undefined);
      const isForced =
        has("f", "force", "force-with-lease", "delete", "d", "mirror", "prune") ||
        rest.some((word) => /^[+:]/.test(word));
      return [
        isForced &&
          mark("history", "danger", "It replaces or deletes commits or branches of a shared repository."),
        named !== undefined &&
          mark("sends", "danger", `It sends commits to ${named}, which is not the name of a remote.`),
        !isForced && mark("sends", "care", "It sends commits to another machine."),
      ];
    }
    case "branch":
      return has("D") || (has("d", "delete") && has("f", "force"))
        ? lost("It deletes a branch whose commits may exist only there.")
        : [];
    case "stash":
      return ["drop", "clear"].some((word) => rest.includes(word)) ? lost("It deletes stashed changes.") : [];
    case "filter-branch":
    case "filter-repo":
    case "replace":
      return lost("It rewrites commits.");
    case "reflog":
      return rest.includes("expire") || rest.includes("delete")
        ? lost("It deletes the references to lost commits.")
        : [];
    case "gc":
    case "prune":
      return name === "prune" || has("prune") ? lost("It deletes the references to lost commits.") : [];
    default:
      return [];
  }
};

const packages: Rule = (words) => [
  words.some((word) => /^(publish|unpublish|deprecate|yank|push|upload|release)$/.test(word)) &&
    publishes("a package, which others install"),
];

const elevates: Rule = (words) => [
  mark("elevated", "danger", `It runs with the rights of another user, by ${words[0]!.split("/").at(-1)}.`),
];
const schedules: Rule = () => [
  mark("lasting", "danger", "It schedules a program, to run later or at each start."),
];
const stops: Rule = () => [mark("ends", "danger", "It stops the machine or its services.")];
const showsVariables: Rule = (words) => [
  words.length === 1 &&
    mark("secret", "care", "It shows all variables of the environment, which may hold secrets."),
];

const CODE = /^-[a-zA-Z]*[ce]$|^--(eval|print|command|run)(=|$)|^-(p|pe|r|E)$/;
const interprets: Rule = (words) => [
  words.some((word) => CODE.test(word)) &&
    mark("unclear", "danger", "It runs code from the command line, which can do anything."),
];

const writes: Rule = (words, context) => {
  const { rest } = readOptionWords(words);
  const name = words[0]!.split("/").at(-1)!;
  const targets = /^(cp|mv|ln|install|rsync)$/.test(name) ? rest.slice(-1) : rest;
  const sources = name === "mv" ? rest.slice(0, -1) : [];
  return writeMarks([...targets, ...sources], context);
};

const editsInPlace: Rule = (words, context) =>
  words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word)) ? writes(words, context) : [];

export function writeMarks(targets: readonly string[], context: RiskContext): RiskMark[] {
  const devices = targets.filter(isDevice);
  const far = targets.filter((word) => !isDevice(word) && isOutside(word, context));
  return [
    ...devices.map((word) => mark("device", "danger", `It writes onto the device ${word}.`)),
    ...(far.length === 0
      ? []
      : [mark("outside", "danger", `It writes ${few(far)}, outside of the folders of the session.`)]),
  ];
}

export function secretMarks(words: readonly string[]): RiskMark[] {
  const paths = words
    .map((word) => word.replace(/^--?[\w-]+=|^[\w-]*=?[@<]|^of=|^if=/, ""))
    .filter(isSecretPath);
  return paths.length === 0
    ? []
    : [mark("secret", "danger", `It names ${few([...new Set(paths)])}, where secrets usually are.`)];
}

const mountsFiles: Rule = (words, context) => {
  const sources = words.flatMap((word, index) => {
    const value = /^(-v|--volume|--mount)$/.test(words[index - 1] ?? "")
      ? word
      : /^(?:-v|--(?:volume|mount))=?(.*)/.exec(word)?.[1];
    return value === undefined
      ? []
      : [/(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1] ?? value.split(":")[0]!];
  });
  const far = sources.filter((path) => isOutside(path, context));
  return [
    far.length > 0 &&
      mark("outside", "danger", `It gives a container ${few(far)}, outside of the folders of the session.`),
  ];
};

const byName: readonly [Rule, string][] = [
  [removes, "rm rmdir unlink del erase trash rimraf"],
  [destroys, "shred truncate wipe srm"],
  [
    formats,
    "mkswap wipefs fdisk sfdisk cfdisk gdisk sgdisk parted hdparm blkdiscard losetup cryptsetup diskutil format",
  ],
  [copiesRaw, "dd dcfldd"],
  [permits, "chmod chown chgrp setfacl chattr icacls xattr"],
  [fetches, "curl wget http https xh httpie aria2c"],
  [copiesAway, "scp rsync sftp rclone"],
  [connects, "nc ncat netcat socat telnet ftp tftp lftp gsutil croc magic-wormhole wormhole openssl"],
  [writesMail, "mail mailx sendmail mutt msmtp swaks"],
  [ends, "kill pkill killall skill xkill fuser taskkill"],
  [finds, "find fd fdfind"],
  [versions, "git"],
  [
    packages,
    "npm pnpm yarn bun cargo gem twine poetry uv hatch flit pdm docker podman nerdctl helm nuget dotnet lerna changeset vsce ovsx jsr",
  ],
  [mountsFiles, "docker podman nerdctl"],
  [elevates, "sudo doas su pkexec run0 runuser gosu setpriv"],
  [schedules, "at batch schtasks systemd-run"],
  [stops, "shutdown reboot halt poweroff init telinit"],
  [showsVariables, "env printenv export set"],
  [
    interprets,
    "node nodejs deno bun python python2 python3 pypy pypy3 perl ruby php lua osascript pwsh powershell Rscript julia tclsh groovy elixir scala",
  ],
  [interprets, "sh bash zsh dash ksh mksh ash fish csh tcsh"],
  [writes, "touch tee mkdir cp mv ln install rsync mkfifo patch tar unzip"],
  [editsInPlace, "sed perl ruby awk gawk sort"],
];

const RULES = new Map<string, Rule[]>();
for (const [rule, names] of byName)
  for (const name of names.split(" ")) RULES.set(name, [...(RULES.get(name) ?? []), rule]);

export function programMarks(words: readonly string[], context: RiskContext): RiskMark[] {
  const name =
    words[0]
      ?.split("/")
      .at(-1)
      ?.replace(/\.exe$/i, "") ?? "";
  const versionless = name.replace(/(?<=^(?:python|pypy|ruby|php|perl|lua|node))[\d.]+$/, "");
  const rules =
    RULES.get(name) ?? RULES.get(versionless) ?? (/^(mkfs|mke2fs|newfs)/.test(name) ? [formats] : undefined);
  return [
    ...(rules ?? []).flatMap((rule) => rule(words, context).filter((one) => one !== false)),
    ...knownLineMarks(name, words),
  ];
}
