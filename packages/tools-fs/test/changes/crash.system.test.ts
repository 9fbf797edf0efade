import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { pickShare } from "../../../../test/support/share.ts";
import { applyPatch } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { AFTER, BEFORE, PATCH } from "../support/twenty-files.ts";
import { watchFileSystem } from "../support/watched-file-system.ts";

const child = fileURLToPath(new URL("../support/patch-child.ts", import.meta.url));

async function run(when: string, killAfterMs?: number) {
  const space = await temporaryWorkspace(BEFORE);
  const journalFolder = temporaryFolder();
  const running = spawn(process.execPath, [...conditions, child, space.root, journalFolder, when], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(running, "exit");
  if (killAfterMs !== undefined) {
    await once(running.stdout, "data");
    await sleep(killAfterMs);
    running.kill("SIGKILL");
  }
  const [code, signal] = (await exited) as [number | null, string | null];
  const crashed = await readTree(space.root);
  const journal = createDirectoryJournal(journalFolder);
  const engine = createChangeEngine({ fs: space.workspace.fs, root: space.root, journal });
  const recoveries = await engine.recover();
  const again = await engine.recover();
  const entries = await journal.list();
  return {
    code,
    signal,
    crashed,
    recovered: await readTree(space.root),
    recoveries,
    again,
    entries,
    journalFolder,
  };
}

/** Every file is as before or as after, byte for byte; what is only in one of the trees may be missing. */
function expectOldOrNew(tree: Record<string, string>): void {
  for (const [path, content] of Object.entries(withoutTemporaries(tree))) {
    if (path.endsWith("/")) continue;
    expect([BEFORE[path], AFTER[path]]).toContain(content);
  }
  for (const path of Object.keys(BEFORE)) if (path in AFTER) expect(tree).toHaveProperty([path]);
}

/** Without what the file system was writing beside a file when it was killed. */
function withoutTemporaries(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).filter(([path]) => !/(?:^|\/)\.haft-[^/]*\.tmp$/.test(path)),
  );
}

/** How many file operations the whole patch takes. */
async function operationsInAll(): Promise<{ first: number; last: number }> {
  const space = await temporaryWorkspace(BEFORE);
  let first = 0;
  let last = 0;
  const fs = watchFileSystem(space.workspace.fs, {
    before: ({ number, changes }) => {
      last = number;
      if (changes && first === 0) first = number;
    },
  });
  await applyPatch(PATCH, { fs });
  expect(await readTree(space.root)).toEqual(AFTER);
  return { first, last };
}

describe("a killed process", () => {
  test(
    "leaves every file old or new at any step, and recovery makes all files old or all new",
    { timeout: 300_000 },
    async () => {
      const { first, last } = await operationsInAll();
      expect(last - first).toBeGreaterThan(20);
      const steps = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      let rolledBack = 0;
      // Every eighth; each in `npm run soak -- kills`.
      const tried = pickShare(steps, 8);
      for (const step of tried) {
        // Both sides of an operation are the same moment as the other side of its neighbour.
        const { signal, crashed, recovered, recoveries, again, entries } = await run(`-${step}`);
        expect([step, signal]).toEqual([step, "SIGKILL"]);
        expectOldOrNew(crashed);
        expect({ step, recovered }).toEqual({ step, recovered: BEFORE });
        expect(recoveries).toMatchObject([{ outcome: "rolled-back", failed: [] }]);
        expect(again).toEqual([]);
        expect(entries).toEqual([]);
        rolledBack += recoveries.length;
      }
      expect(rolledBack).toBe(tried.length);
      // After the last operation everything is done, though nobody wrote that down.
      const complete = await run(`+${last}`);
      expect(complete.signal).toBe("SIGKILL");
      expect(complete.recovered).toEqual(AFTER);
      expect(complete.recoveries).toMatchObject([{ outcome: "finished" }]);
      expect(complete.entries).toMatchObject([{ state: "committed" }]);
    },
  );

  test("can be recovered if it was killed at any time", { timeout: 120_000 }, async () => {
    for (const ms of [0, 2, 5, 9, 14, 20, 30]) {
      const { crashed, recovered } = await run("0", ms);
      expectOldOrNew(crashed);
      expect([BEFORE, AFTER]).toContainEqual(recovered);
    }
  });

  test("leaves nothing to recover after the commit", async () => {
    const { code, recovered, recoveries, entries, journalFolder } = await run("0");
    expect(code).toBe(0);
    expect(recovered).toEqual(AFTER);
    expect(recoveries).toEqual([]);
    expect(entries).toHaveLength(1);
    expect(await readdir(journalFolder)).toHaveLength(1);
  });
});
