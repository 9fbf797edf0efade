import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { ORDINARY, tempFolder } from "../support.ts";
import { testAsRoot } from "./support.ts";

const ASK = fileURLToPath(new URL("ask-program.ts", import.meta.url));

interface Machine {
  /** Of the machine's own root, before there is a view. Its `/mnt` is nobody else's and shared; `$1` is the session's folder. */
  before: string;
  command: string;
  user?: number | undefined;
  bwrap?: string;
}

/** What a command of a view wrote, in a mount namespace of its own. */
function runOn({ before, command, user = 0, bwrap }: Machine): string {
  const base = tempFolder("machine", user);
  const [root, state] = [join(base, "project"), join(base, "state")];
  for (const folder of [root, state, join(root, ".git")]) {
    mkdirSync(folder);
    chownSync(folder, user, user);
  }
  writeFileSync(join(root, ".git/config"), "");
  const as = ["setpriv", "--reuid", String(user), "--regid", String(user), "--clear-groups"];
  const program = [...as, process.execPath, ...conditions, "--no-warnings", ASK, root, state];
  const script = `mount -t tmpfs -o mode=755 x /mnt && mount --make-shared /mnt || exit; ${before}\nshift; exec "$@"`;
  // With processes of its own, so that none is left waiting.
  const machine = "-m --propagation private --pid --fork --kill-child --mount-proc".split(" ");
  const inside = [...machine, "sh", "-c", script, "sh", root, ...program];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: base, ...(bwrap !== undefined && { BWRAP_OF_TEST: bwrap }) };
  const output = execFileSync("unshare", [...inside, `exec 2>&1; ${command}`], { encoding: "utf8", env });
  return (JSON.parse(output) as [string])[0];
}

testAsRoot("keeps commands from writing to later mounts of the host", () => {
  const output = runOn({
    before: `mkdir /mnt/later
{ until [ -e "$1/up" ]; do sleep 0.05; done; mount -t tmpfs y /mnt/later; touch "$1/mounted"; } &`,
    command: `touch up; until [ -e mounted ]; do sleep 0.05; done; touch /mnt/later/x; grep -c later /proc/self/mountinfo`,
  });
  expect(output).toMatch(/Read-only file system|No such file/);
  expect(output).toMatch(/\n0\n$/);
});

testAsRoot("makes mounts that the host adds during the opening read-only", () => {
  const bwrap = join(tempFolder("program"), "bwrap");
  // Its command waits until something was mounted, as it would be in the middle of all its own mounts.
  writeFileSync(
    bwrap,
    `#!/bin/sh
{ read -r _ </mnt/asked; mkdir -p /mnt/came; mount -t tmpfs y /mnt/came; echo >/mnt/done; } >/dev/null 2>&1 &
args=$2; shift 3
exec bwrap --args "$args" -- sh -c 'echo >/mnt/asked; read -r _ </mnt/done; exec "$@"' sh "$@"\n`,
  );
  chmodSync(bwrap, 0o755);
  const output = runOn({
    bwrap,
    before: "mkfifo /mnt/asked /mnt/done",
    command: "touch /mnt/came/x; grep -c /mnt/came /proc/self/mountinfo; echo ok >made; cat made",
  });
  expect(output).toMatch(/Read-only file system\n1\nok\n$/);
});

testAsRoot("tries again if a socket of the host is removed before bubblewrap masks it", () => {
  const bwrap = join(tempFolder("program"), "bwrap");
  // What is to be covered cannot be made where nothing can be written.
  writeFileSync(bwrap, `#!/bin/sh\necho >>/mnt/tried\nrm -f /mnt/agent.sock\nexec bwrap "$@"\n`);
  chmodSync(bwrap, 0o755);
  const output = runOn({
    bwrap,
    before: "socat UNIX-LISTEN:/mnt/agent.sock,fork - & until [ -e /mnt/agent.sock ]; do sleep 0.05; done",
    command: "wc -l </mnt/tried; echo ok >made; cat made",
  });
  expect(output).toBe("2\nok\n");
});

testAsRoot("hides mounts in a folder that the user cannot enter", () => {
  const output = runOn({
    user: ORDINARY,
    before: `mkdir -p -m 755 /mnt/others /mnt/others/closed/deep /mnt/others/own; chmod 700 /mnt/others/closed
for at in closed/deep own; do mount -t tmpfs -o mode=777 y /mnt/others/$at; touch /mnt/others/$at/file; done
{ until [ -e "$1/up" ]; do sleep 0.05; done; chmod 755 /mnt/others/closed; touch "$1/opened"; } &`,
    command: `touch up; until [ -e opened ]; do sleep 0.05; done; cd /mnt/others; ls own closed; for at in own closed; do touch $at/x; done; umount closed; ls closed`,
  });
  expect(output).toMatch(/^closed:\n\nown:\nfile\n/);
  expect(output.match(/Read-only file system/g)).toHaveLength(2);
  expect(output).not.toContain("deep");
});
