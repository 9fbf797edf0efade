import { temporaryName } from "@haft/system";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryFolder } from "../support/tool-context.ts";

const child = fileURLToPath(new URL("../support/large-write-child.ts", import.meta.url));

const unfinished = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(".haft-")) : [];

test("removes temporary files of a killed process at the next start, and no other files", async () => {
  const { root, workspace } = await temporaryWorkspace();
  const journalFolder = temporaryFolder();
  const folder = join(root, "sub");
  mkdirSync(folder);
  writeFileSync(join(folder, "large.bin"), "");
  while (unfinished(folder).length === 0) {
    const running = spawn(process.execPath, [...conditions, child, root, journalFolder], {
      stdio: "inherit",
    });
    const exited = once(running, "exit");
    while (unfinished(folder).length === 0) await sleep(1);
    running.kill("SIGKILL");
    await exited;
  }
  const ofTheLiving = temporaryName();
  const ofAStranger = ".haft-2147483645-1-0123456789ab.tmp";
  for (const name of [ofTheLiving, ofAStranger]) writeFileSync(join(folder, name), "");
  expect(unfinished(folder)).toHaveLength(3);

  const journal = createDirectoryJournal(journalFolder);
  const engine = createChangeEngine({ fs: workspace.fs, root, journal });
  // Old content or new content, in one step: nothing there was to take back, or to tell.
  expect(await engine.recover()).toEqual([]);
  expect(unfinished(folder).toSorted()).toEqual([ofTheLiving, ofAStranger].toSorted());
  expect(statSync(join(folder, "large.bin")).size % (16 * 1024 * 1024)).toBe(0);
  expect(await journal.list({ unfinished: true })).toEqual([]);
});
