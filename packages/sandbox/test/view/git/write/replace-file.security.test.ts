import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceSettingsFile } from "../../../../src/view/git/write/replace-file.ts";

test("keeps the access list of rewritten settings", ({ skip }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-settings-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "config");
  writeFileSync(path, "old", { mode: 0o600 });
  skip(spawnSync("setfacl", ["-m", "u:33:r", path]).status !== 0, "no access lists here");
  const list = () => execFileSync("getfacl", ["-cpn", path], { encoding: "utf8" });
  const before = list();
  replaceSettingsFile(path, Buffer.from("new"));
  expect([readFileSync(path, "utf8"), list()]).toEqual(["new", before]);
});
