import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { InstallSnapshot } from "../../src/packages/install-snapshot.ts";

test("files of packages that are put back grant no more than before", async () => {
  const folder = await temporaryFolder();
  const [real, link] = [join(folder, "real.json"), join(folder, "package.json")];
  writeFileSync(real, "{}");
  chmodSync(real, 0o640);
  symlinkSync("real.json", link);
  const lock = join(folder, "yarn.lock");
  writeFileSync(lock, "one");
  chmodSync(lock, 0o660);
  const kept = new InstallSnapshot([folder]);
  writeFileSync(real, "changed");
  rmSync(lock);
  kept.restore();
  expect([readFileSync(real, "utf8"), statSync(real).mode & 0o777]).toEqual(["{}", 0o640]);
  expect([readFileSync(lock, "utf8"), statSync(lock).mode & 0o777]).toEqual(["one", 0o600]);
});
