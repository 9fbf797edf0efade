import { spawnSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { pickShare } from "../../../../test/support/share.ts";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { AFTER, BEFORE, PATCH } from "../support/twenty-files.ts";

const child = fileURLToPath(new URL("../support/rewind-child.ts", import.meta.url));
const MORE = `*** Begin Patch
*** Add File: later/one.txt
+one
*** Add File: later/two.txt
+two
*** End Patch`;

/** A workspace that a session has changed in two calls, and its journal. */
async function changed() {
  const space = await temporaryWorkspace(BEFORE);
  const folder = temporaryFolder();
  const by = { agentId: "main", sessionKey: "s", runId: "run1" };
  const { fs } = space.workspace;
  const journal = createDirectoryJournal(folder);
  const engineOf = (toolCallId: string) =>
    createChangeEngine({ fs, root: space.root, journal, by: { ...by, toolCallId } });
  await applyPatchWith(engineOf("call_1"), PATCH);
  await applyPatchWith(engineOf("call_2"), MORE);
  return { ...space, folder, end: await readTree(space.root) };
}

function rewindIn(root: string, folder: string, when: number) {
  const { signal, stdout } = spawnSync(process.execPath, [...conditions, child, root, folder, String(when)], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  return { signal, stdout };
}

describe("a killed rewind", () => {
  test("is complete or has no effect after recovery, at any step", { timeout: 300_000 }, async () => {
    const { root, workspace, folder, end } = await changed();
    const spare = temporaryFolder();
    const keep = async (from: string, to: string): Promise<void> => {
      await rm(to, { recursive: true, force: true });
      await cp(from, to, { recursive: true, preserveTimestamps: true });
    };
    await keep(root, join(spare, "files"));
    await keep(folder, join(spare, "journal"));
    const { stdout } = rewindIn(root, folder, 0);
    const steps = JSON.parse(stdout) as number[];
    expect(steps.length).toBeGreaterThan(20);
    expect(filesOf(await readTree(root))).toEqual(filesOf(BEFORE));

    const ends = new Set<string>();
    // Every eighth, and the last ones, behind the transaction itself; each in `npm run soak -- kills`.
    for (const step of new Set([...pickShare(steps, 8), ...steps.slice(-2)])) {
      await keep(join(spare, "files"), root);
      await keep(join(spare, "journal"), folder);
      expect(rewindIn(root, folder, step).signal).toBe("SIGKILL");
      const journal = createDirectoryJournal(folder);
      await createChangeEngine({ fs: workspace.fs, root, journal }).recover();
      const files = filesOf(await readTree(root));
      expect([filesOf(end), filesOf(BEFORE)]).toContainEqual(files);
      ends.add(JSON.stringify(files));
      // Nothing is left half done, and it can be done now.
      expect((await journal.list()).map(({ state }) => state)).not.toContain("open");
      const engine = createChangeEngine({ fs: workspace.fs, root, journal });
      expect(await engine.rewind({ matches: ({ sessionKey }) => sessionKey === "s" })).toMatchObject({
        conflicts: files["later/one.txt"] === undefined ? expect.anything() : [],
      });
    }
    expect(ends.size).toBe(2);
    expect(AFTER).not.toEqual(BEFORE);
  });
});

/** Without empty folders. */
function filesOf(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith("/")));
}
