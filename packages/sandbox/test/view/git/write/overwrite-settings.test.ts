import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRegularBytes, overwriteSettings } from "../../../../src/view/git/write/overwrite-settings.ts";
import { replaceSettingsFile, readFileState } from "../../../../src/view/git/write/replace-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-write-in-place-")));
  path = join(folder, "config");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("does not overwrite another text", () => {
  writeFileSync(path, "theirs\n");
  expect(overwriteSettings(path, Buffer.from("before\n"), Buffer.from("ours\n"))).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe("theirs\n");
});

test("returns the state of the written file with both functions", () => {
  writeFileSync(path, "before\n");
  expect(overwriteSettings(path, Buffer.from("before\n"), Buffer.from("o\n"))?.state).toBe(
    readFileState(path),
  );
  expect(replaceSettingsFile(path, Buffer.from("another\n"))).toBe(readFileState(path));
  expect(readFileSync(path, "utf8")).toBe("another\n");
});

// A user whose git replaces the file in the moment it is written: what is known of the file afterwards would be about theirs.
const USER = `
const { renameSync, writeFileSync } = require("node:fs");
const path = process.argv[1];
let isOver = false;
process.stdin.resume().on("end", () => { isOver = true; });
let at = 0;
(function set() {
  for (let some = 0; some < 20; some++) {
    writeFileSync(path + ".theirs", "Person " + ++at + "\\n");
    renameSync(path + ".theirs", path);
  }
  if (!isOver) setImmediate(set);
})();
process.stdout.write("goes on");`;

test("never returns the state of a file that another program wrote", async () => {
  writeFileSync(path, "before\n");
  const user = spawn(process.execPath, ["-e", USER, path], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    await once(user.stdout, "data");
    let replaced = 0;
    // For as long as it takes to meet the moment some times, however the two programs share the machine.
    for (let tried = 0; replaced < 5 && tried < 200_000; tried++) {
      const text = readRegularBytes(path);
      const written = text && overwriteSettings(path, text, Buffer.from(`Haft ${tried}\n`));
      if (written === undefined) continue;
      const [now, before] = [readRegularBytes(path)?.toString(), readFileState(path)];
      if (before === written.state) expect(now).toBe(`Haft ${tried}\n`);
      else replaced++;
    }
    expect(replaced).toBe(5);
  } finally {
    user.stdin.end();
    await once(user, "close");
  }
});
