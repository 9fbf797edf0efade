import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";

const PROGRAM = join(import.meta.dirname, "support/full-disk-program.ts");
const NAMESPACES = ["--user", "--map-root-user", "--mount"];
const canMount =
  process.platform === "linux" &&
  spawnSync("unshare", [...NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!canMount && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error("No disk can be mounted here: unshare --user --mount does not work.");

/** SQLite reports an I/O error, a file that cannot be opened or a full disk, by the file for which there is no space. */
test.runIf(canMount).each([
  ["no space", "new", "size=1m,nr_inodes=100"],
  ["no space", "closed", "size=1m,nr_inodes=100"],
  ["no entry", "new", "size=8m,nr_inodes=4"],
  ["no entry", "closed", "size=8m,nr_inodes=8"],
])("reports a full disk with %s for a %s database: %s", (_, state, size) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-full-"));
  onTestFinished(() => rmdirSync(folder));
  const mount = `mount -t tmpfs -o ${size},mode=700 none "$0" && exec "$@"`;
  const command = [process.execPath, ...conditions, "--no-warnings", PROGRAM, folder, state];
  const { stdout, stderr } = spawnSync("unshare", [...NAMESPACES, "sh", "-c", mount, folder, ...command], {
    encoding: "utf8",
  });
  expect(stdout + stderr).toBe("STORE_FULL named");
});
