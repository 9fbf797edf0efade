import { InstallSnapshot } from "@haft/plugin-loader/internal/plugins";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { changeAgentSettings, readAgentSettings } from "../../src/install/settings-file.ts";

test("settings of an agent keep their access list without new rights for their group", async ({ skip }) => {
  const path = join(await temporaryFolder(), "settings.json");
  writeFileSync(path, "{}", { mode: 0o600 });
  skip(spawnSync("setfacl", ["-m", "u:33:r", path]).status !== 0, "no access lists here");
  const list = () => execFileSync("getfacl", ["-cpn", path], { encoding: "utf8" });
  const before = list();
  changeAgentSettings(readAgentSettings(path), `{"hooks":{}}`);
  expect([readFileSync(path, "utf8"), list()]).toEqual([`{"hooks":{}}`, before]);
});

test("restored files of packages have no wider access than before", async () => {
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
