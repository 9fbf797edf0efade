import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";

describe("prints one line without a stack if the current folder is deleted", () => {
  test.each([
    ["tools", []],
    ["serve", []],
    ["guard", ["status"]],
    ["tools", ["call", "read", "{}"]],
  ])("%s", async (command, words) => {
    const cwd = await temporaryFolder();
    mkdirSync(join(cwd, "gone"));
    const script = 'cd gone && rmdir ../gone && exec "$@"';
    const { status, stdout, stderr } = spawnSync(
      "sh",
      ["-c", script, "sh", ...haftCommand, command, ...words],
      { cwd, encoding: "utf8", input: "", env: { ...process.env, HAFT_STATE_DIR: getStateFolder(cwd) } },
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^haft: The current folder was deleted.*\n$/);
  });
});
