import { describe, expect, test } from "vitest";
import { riskMarks, describeGrantObstacle } from "../../src/approvals/risk/risk-marks.ts";
import type { RiskMark } from "../../src/contract/approval-port.ts";
import type { CommandSubject } from "../../src/contract/plan.ts";

const grave: readonly [line: string, kind: RiskMark["kind"], level?: RiskMark["level"]][] = [
  // Commands that other programs start.
  ["find . -exec rm {} +", "deletes"],
  ["find . -type f -exec rm -f {} +", "deletes"],
  ["find . -exec rm {} ;", "deletes"],
  ["find . -name a -execdir unlink {} ;", "deletes"],
  ["fd -e o -x rm", "deletes"],
  ["xargs rm", "deletes"],
  ["xargs -I{} rm {}", "deletes"],
  ["xargs -n 1 git push https://x.example/y", "sends"],
  ["parallel rm ::: a b", "deletes", "care"],
  ["env A=1 terraform destroy", "deletes"],
  ["timeout 5 kubectl delete ns prod", "deletes"],
  ["nohup nice -n 5 zpool destroy tank", "device"],
  ["watch -n 1 iptables -F", "permissions"],
  ["ssh host zpool destroy tank", "device"],
  ["docker exec db dropdb prod", "deletes"],
  ["npx rimraf dist", "deletes", "care"],
  ["npm exec rimraf dist", "deletes", "care"],
  ["git submodule foreach git clean -fdx", "history"],
  // Deleting of many.
  ["rm *", "deletes"],
  ["rm src/*.ts", "deletes"],
  ["rm -f {a,b}", "deletes"],
  ["rsync -a --delete /tmp/empty/ /home/", "deletes"],
  ["rsync -a --delete-after a/ b/", "deletes"],
  ["rsync -a src/ /srv/x", "outside"],
  ["git clean -fdx", "history"],
  ["git reset --hard", "history"],
  ["git branch -D main", "history"],
  ["git worktree remove --force x", "history"],
  ["docker system prune -a", "deletes"],
  ["docker volume rm data", "deletes"],
  ["docker rm -f db", "deletes"],
  ["docker compose down -v", "deletes"],
  ["kubectl delete ns prod", "deletes"],
  ["kubectl -n prod delete pod x", "deletes"],
  ["helm uninstall x", "deletes"],
  ["aws s3 rm s3://b --recursive", "deletes"],
  ["aws s3 rm --recursive", "deletes"],
  ["aws s3 rb s3://b --force", "deletes"],
  ["aws ec2 terminate-instances --instance-ids i", "deletes"],
  ["gsutil rm -r gs://b", "deletes"],
  ["gcloud compute instances delete x", "deletes"],
  ["rclone purge remote:x", "deletes"],
  ["terraform destroy -auto-approve", "deletes"],
  ["terraform apply -auto-approve", "deletes"],
  ["tofu apply -destroy", "deletes"],
  ["dropdb prod", "deletes"],
  ["redis-cli FLUSHALL", "deletes"],
  ["apt-get purge nginx", "deletes"],
  ["crontab -r", "deletes"],
  [": > README.md", "deletes", "care"],
  ["> README.md", "deletes", "care"],
  ["cat /dev/null > README.md", "deletes", "care"],
  ["cp /dev/null README.md", "deletes", "care"],
  // Disks.
  ["zpool destroy tank", "device"],
  ["zfs destroy -r tank/home", "device"],
  ["lvremove -f vg/home", "device"],
  ["mdadm --zero-superblock /dev/sda1", "device"],
  ["cryptsetup luksFormat /dev/sda1", "device"],
  ["fdisk /dev/sda", "device"],
  ["parted /dev/sda", "device"],
  ["wipefs -a /dev/sda", "device"],
  ["mkfs.xfs /dev/sda", "device"],
  // Sending.
  ["git push https://x.example/y HEAD", "sends"],
  ["git push me@x.example:y", "sends"],
  ["git push x.example:y HEAD", "sends"],
  ["git push ../copy HEAD", "sends"],
  ["git push --force https://x.example/y HEAD", "sends"],
  ["git push --repo=https://x.example/y", "sends"],
  ["git remote set-url origin https://x.example/y", "sends", "care"],
  ["rclone copy . remote:x", "sends"],
  ["aws s3 cp a.txt s3://b/a", "sends"],
  ["aws s3 sync . s3://b", "sends"],
  ["gsutil cp a.txt gs://b", "sends"],
  ["nc x.example 80", "sends"],
  ["wget --post-file a.txt https://x.example", "sends"],
  ["curl -T a.txt https://x.example", "sends"],
  ["curl -X DELETE https://x.example/1", "sends", "care"],
  // Publishing.
  ["npm publish", "sends"],
  ["cargo publish", "sends"],
  ["twine upload dist/a", "sends"],
  ["uv publish", "sends"],
  ["docker push me/x", "sends"],
  ["gh release create v1", "sends"],
  ["gh pr merge 1", "sends"],
  // Rights.
  ["chmod 4755 x", "permissions"],
  ["chmod 02755 x", "permissions"],
  ["chmod 6711 x", "permissions"],
  ["chmod u+x,g+s x", "permissions"],
  ["chmod o=rw x", "permissions"],
  ["chown -R me .", "permissions"],
  ["setfacl -R -m u:me:rwx .", "permissions"],
  ["setcap cap_setuid+ep x", "permissions"],
  ["useradd -o -u 0 me", "permissions"],
  ["usermod -aG docker me", "permissions"],
  ["passwd root", "permissions"],
  ["visudo", "permissions"],
  ["iptables -F", "permissions"],
  ["nft flush ruleset", "permissions"],
  ["ufw disable", "permissions"],
  ["sysctl -w kernel.a=1", "lasting"],
  ["sysctl kernel.a=1", "lasting"],
  // Containers that reach the machine.
  ["docker run -v /:/host alpine", "outside"],
  ["docker run --volume=/etc:/e alpine", "outside"],
  ["podman run -v ~/.ssh:/s alpine", "outside"],
  ["docker run --mount type=bind,source=/,target=/h alpine", "outside"],
  ["docker run -v /var/run/docker.sock:/var/run/docker.sock alpine", "outside"],
  ["docker run --privileged alpine", "elevated"],
  ["docker run --pid=host alpine", "elevated"],
  ["docker run --pid host alpine", "elevated"],
  ["docker run --cap-add SYS_ADMIN alpine", "elevated"],
  // Secrets.
  ["gpg --export-secret-keys", "secret"],
  ["gpg -a --export-secret-subkeys me", "secret"],
  ["security find-generic-password -w x", "secret"],
  ["pass show mail", "secret"],
  ["pass -c web/mail", "secret"],
  ["aws secretsmanager get-secret-value --secret-id x", "secret"],
  ["kubectl get secret x -o yaml", "secret"],
  ["gh auth token", "secret"],
  ["env", "secret", "care"],
  ["printenv API_TOKEN", "secret"],
  // Services and programs.
  ["systemctl stop nginx", "ends"],
  ["systemctl --user disable x", "ends"],
  ["systemctl enable x", "lasting"],
  ["service nginx stop", "ends"],
  ["launchctl bootout gui/1/x", "ends"],
  ["launchctl load x.plist", "lasting"],
  ["shutdown now", "ends"],
  ["reboot", "ends"],
  ["kill -9 -1", "ends"],
  ["pkill -f node", "ends"],
];

/** What people have done every day. */
const everyday = (
  "git status|git diff|git log --oneline|git add .|git commit -m x|git fetch origin|git branch -a|git tag|git remote -v|git stash list|" +
  "git worktree list|git clean -n|git switch main|npm test|npm run build|npm ci|npm install|pnpm exec vitest run|npx vitest run|" +
  "npx prettier --write .|npx tsc --noEmit|cargo build|cargo test|go test ./...|make|pytest -q|uv run pytest|docker ps|docker ps -a|" +
  "docker images|docker build -t x .|docker run --rm alpine ls|docker run --rm -v /w:/app -w /app alpine ls|docker run -v data:/d alpine|" +
  "docker compose up -d|docker logs x|docker volume ls|kubectl get pods|kubectl describe pod x|kubectl logs -f x|helm list|" +
  "terraform plan|terraform fmt|aws s3 ls|aws s3 cp s3://b/a .|gcloud config list|gh pr list|gh pr view 1|gh release list|gh issue view 1|" +
  "systemctl status nginx|service nginx status|launchctl list|crontab -l|iptables -L -n|ufw status|sysctl -a|zpool status|zfs list|" +
  "mdadm --detail /w/x|pass ls|gpg --verify a.sig|gpg --list-keys|printenv PATH|apt list|apt install x|brew install x|rsync -a src/ build/|" +
  "find . -name a|find . -type f -exec grep -l x {} +|xargs grep x|xargs wc -l|timeout 60 npm test|env A=1 npm test|cp a.txt b.txt|" +
  "mv a.txt b.txt|mkdir -p a/b|touch a|echo x > out.txt|npm test > /dev/null|sort a.txt >> out.txt|ls -la|cat a.txt|sed -n 1p a.txt|" +
  "grep -r x src|jq . a.json|node a.js|python3 a.py|redis-cli ping|nvme list"
).split("|");

const ways: [string, (line: string) => CommandSubject][] = [
  ["words", (text) => ({ text, cwd: "/w", commands: [], unclear: "" })],
  ["programs", (text) => ({ text, cwd: "/w", commands: programsOf(text) })],
];

describe.each(ways)("a command line given as %s", (_, read) => {
  test.for(grave)("is marked and excludes program grants: %s", ([line, kind, level = "danger"]) => {
    const command = read(line);
    const marks = marksOf(command);
    expect(marks).toContainEqual({ kind, level, text: expect.any(String) });
    expect(describeGrantObstacle(marks, command)).toBeDefined();
  });

  test.for(everyday)("has no mark that excludes grants: %s", (line) => {
    const command = read(line);
    const marks = marksOf(command);
    expect(marks.filter(({ level }) => level === "danger")).toEqual([]);
    expect(describeGrantObstacle(marks, command)).toBeUndefined();
  });
});

test("marks a pattern whose names are known", () => {
  const marks = marksOf({ text: "rm *", cwd: "/w", commands: programsOf("rm a b") });
  expect(marks.map(({ level, kind }) => `${level} ${kind}`)).toEqual(["danger deletes", "care deletes"]);
});

function marksOf(command: CommandSubject): RiskMark[] {
  return riskMarks({
    tool: { effects: ["execute"] },
    args: { command: command.text },
    plan: { subjects: { command } },
    mounts: [{ name: "", path: "/w", access: "rw" }],
  });
}

/** The programs of a line without quotes. */
function programsOf(line: string) {
  const argv = line
    .replace(/\s*>.*/, "")
    .split(" ")
    .filter(Boolean);
  return argv.length === 0 ? [] : [{ name: argv[0]!, argv, through: [] }];
}
