import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { createMcpServer } from "../../../../host/test/support/mcp-server.ts";
import { canMount } from "../../durability/faults/small-disk.ts";
import { haft } from "../../support/haft.ts";

/** The command where folders of it are on a disk without room, which it alone sees. */
async function onFullDisk(folder: string, words: (cwd: string) => readonly string[], fill = "") {
  const above = await temporaryFolder();
  const cwd = join(above, "w");
  for (const name of ["w/.git", "state", "xdg/haft"])
    mkdirSync(join(above, name), { recursive: true, mode: 0o700 });
  const script = `mount -t tmpfs -o size=16k,mode=700 none "$0" && ${fill}
    mkdir -p -m 700 "$0/guard" && dd if=/dev/zero of="$0/guard/.filler" 2>/dev/null; "$@"; code=$?; ls -A "$0/serve" >&2; exit $code`;
  const args = ["--user", "--map-root-user", "--mount", "sh", "-c", script, join(above, folder)];
  const env = {
    ...process.env,
    HAFT_STATE_DIR: join(above, "state"),
    XDG_CONFIG_HOME: join(above, "xdg"),
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    HAFT_ADMIN_POLICY: "",
  };
  return spawnSync("unshare", [...args, ...haftCommand, ...words(cwd)], { cwd, env, encoding: "utf8" });
}

test.skipIf(!canMount).each([
  ["serve --http, its token", "state", () => ["serve", "--http", "0"], 'mkdir -m 700 "$0/serve" &&'],
  ["serve --http, the folder", "state", () => ["serve", "--http", "0"], ""],
  [
    "mcp add, its file",
    "xdg/haft",
    (cwd: string) => ["mcp", "add", "prog", "--outside", "--", ...createMcpServer(cwd).words],
    "",
  ],
] as const)("prints a fix on a full disk: %s", async (_name, folder, words, fill) => {
  const { stderr, status } = await onFullDisk(folder, words, fill);
  expect(stderr).toMatch(/disk is full|no space left/);
  expect(stderr).toMatch(/\n(?:Let this user|Free disk space).*\[\w+\]/);
  // No part of the token, and no stack.
  expect(stderr).not.toMatch(/^(?:token|\s+at )/m);
  expect(status).toBe(1);
});

test.skipIf(!canMount).each([
  ["config init", "xdg/haft", ["config", "init", "--yes"]],
  ["guard install", ".claude", ["guard", "install", "claude"]],
] as const)("leaves no partial file on a full disk, and prints a fix: %s", async (_name, folder, words) => {
  const above = await temporaryFolder();
  for (const name of ["w/.git", "state", "xdg/haft", ".claude"])
    mkdirSync(join(above, name), { recursive: true, mode: 0o700 });
  // Names take no room there, and content does.
  const script = `mount -t tmpfs -o size=16k,mode=700 none "$0" && dd if=/dev/zero of="$0/filler" 2>/dev/null; "$@"; code=$?; ls -A "$0"; exit $code`;
  const args = ["--user", "--map-root-user", "--mount", "sh", "-c", script, join(above, folder)];
  const env = {
    ...process.env,
    HOME: above,
    HAFT_STATE_DIR: join(above, "state"),
    XDG_CONFIG_HOME: join(above, "xdg"),
    CLAUDE_CONFIG_DIR: "",
    CLAUDECODE: "",
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    HAFT_ADMIN_POLICY: "",
  };
  const cwd = join(above, "w");
  const done = spawnSync("unshare", [...args, ...haftCommand, ...words], { cwd, env, encoding: "utf8" });
  expect(done.stderr).toMatch(/disk is full|no space left/i);
  expect(done.stderr).toMatch(/\nFree disk space and run the command again\. .*\[\w+\]\n$/);
  expect(done.stdout.trim().split("\n").at(-1)).toBe("filler");
  expect(done.stdout).not.toMatch(/config\.schema|haft\.config\.\w+$|settings\.json$/m);
  expect(done.status).toBe(1);
});

test("reports an empty token file, which a full disk can leave", async () => {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, "state/serve"), { recursive: true, mode: 0o700 });
  writeFileSync(join(cwd, "state/serve/token"), "", { mode: 0o600 });
  const { code, stderr } = await haft(["serve", "--http", "0", "--state", join(cwd, "state")], { cwd });
  expect(stderr).toMatch(/token is empty\.\nIf Haft created it, remove it.*\[CONFIG_INVALID\]/);
  expect(code).toBe(1);
});
