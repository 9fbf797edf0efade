import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { changeAgentSettings, readAgentSettings } from "../../src/install/settings-file.ts";

test("settings of an agent keep their access list, and their group gets no right", async ({ skip }) => {
  const path = join(await temporaryFolder(), "settings.json");
  writeFileSync(path, "{}", { mode: 0o600 });
  skip(spawnSync("setfacl", ["-m", "u:33:r", path]).status !== 0, "no access lists here");
  const list = () => execFileSync("getfacl", ["-cpn", path], { encoding: "utf8" });
  const before = list();
  changeAgentSettings(readAgentSettings(path), `{"hooks":{}}`);
  expect([readFileSync(path, "utf8"), list()]).toEqual([`{"hooks":{}}`, before]);
});
