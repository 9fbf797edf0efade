import { spawnSync } from "node:child_process";
import { existsSync, openSync, closeSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { canMount, NAMESPACES } from "../durability/faults/small-disk.ts";
import { haft, haftHere } from "../support/haft.ts";

const FILE = "out.json";

/** Every command line with `--out`, of which each writes more than a full disk takes. */
const LINES = [
  ["policy", "schema"],
  ["config", "schema"],
  ["ledger", "export", "last"],
];

test.skipIf(!canMount)("reports a full disk without wrong usage, and keeps the previous file", async () => {
  const cwd = await temporaryFolder();
  const disk = join(cwd, "disk");
  mkdirSync(disk);
  expect((await haft(["tools", "call", "ls", "{}"], { cwd })).code).toBe(0);
  const script = `mount -t tmpfs -o size=16k,mode=700 none "$0" && printf before > "$0/${FILE}" &&
    { dd if=/dev/zero of="$0/.filler" 2>/dev/null; "$@"; code=$?; cat "$0/${FILE}"; exit $code; }`;
  for (const line of LINES) {
    const words = [...haftCommand, ...line, "--out", join(disk, FILE)];
    const { status, stdout, stderr } = spawnSync(
      "unshare",
      [...NAMESPACES, "sh", "-c", script, disk, ...words],
      {
        cwd,
        env: { ...process.env, HAFT_STATE_DIR: getStateFolder(cwd) },
        encoding: "utf8",
      },
    );
    expect({ line, status, stdout, stderr }).toEqual({
      line,
      status: 1,
      stdout: "before",
      stderr: expect.stringMatching(
        /^haft: --out: cannot write .*ENOSPC.*\nFree some space, .*\[FILE_UNWRITABLE\]\n$/,
      ),
    });
  }
});

test.each([
  ["nowhere/out.txt", "ENOENT"],
  ["file/out.txt", "ENOTDIR"],
])("reports wrong usage for a path that cannot be a file: %s", async (path, code) => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "file"), "");
  const run = await haftHere(["policy", "schema", "--out", path], { cwd });
  expect(run).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`cannot write ${path}: ${code}`),
  });
});

test.skipIf(!existsSync("/dev/full"))(
  "prints one sentence without a stack if standard output is on a full disk",
  async () => {
    const cwd = await temporaryFolder();
    for (const line of [["tools"], ["policy", "schema"], ["tools", "call", "ls", "{}"]]) {
      const full = openSync("/dev/full", "w");
      const { status, stderr } = spawnSync(haftCommand[0]!, [...haftCommand.slice(1), ...line], {
        cwd,
        stdio: ["ignore", full, "pipe"],
        env: { ...process.env, HAFT_STATE_DIR: getStateFolder(cwd) },
        encoding: "utf8",
      });
      closeSync(full);
      expect({ line, status, stderr }).toEqual({
        line,
        status: 1,
        stderr: expect.stringMatching(/^haft: standard output cannot be written: ENOSPC.*\n$/),
      });
    }
  },
);
