import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { ORDINARY, tempFolder } from "../support.ts";
import { createWorkspaceFolder, testAsRoot } from "./support.ts";

const ASK = fileURLToPath(new URL("ask-program.ts", import.meta.url));

testAsRoot.for([
  ["of whoever runs this", undefined],
  ["of another user", ORDINARY],
] as const)("keeps commands from writing to later mounts of the host: workspace %s", ([, owner]) => {
  const [workspace, beside, state] = [
    createWorkspaceFolder(owner),
    tempFolder("beside"),
    tempFolder("state"),
  ];
  chmodSync(beside, 0o755);
  // In a mount namespace of the test's own, shared as that of a machine is.
  const script = `mount -t tmpfs x "$1" && mount --make-shared "$1" && mkdir "$1/later" || exit
{ until [ -e "$2/up" ]; do sleep 0.05; done; mount -t tmpfs -o mode=777 y "$1/later"; touch "$2/mounted"; } & shift 2; exec "$@"`;
  const command = `exec 2>&1; touch up; until [ -e mounted ]; do sleep 0.05; done; touch /mnt/ro/later/x && echo written; grep -c later /proc/self/mountinfo`;
  const program = [
    process.execPath,
    ...conditions,
    "--no-warnings",
    ASK,
    join(state, "sandboxes"),
    workspace,
  ];
  const inside = ["-m", "--propagation", "private", "sh", "-c", script, "sh", beside, workspace];
  const output = execFileSync("unshare", [...inside, ...program, beside, command], { encoding: "utf8" });
  expect(output).not.toContain("written");
  expect(output).toMatch(/Read-only file system[^]*\n0\n$/);
});
