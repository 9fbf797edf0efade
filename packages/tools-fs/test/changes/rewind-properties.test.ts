import { fc, test } from "@fast-check/vitest";
import { createHostWorkspace } from "@haft/workspace";
import { mkdir, mkdtemp, realpath, rename, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { describe, expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { readTree } from "../support/read-tree.ts";

const PATHS = ["a", "b", "in/a", "in/b", "in/deep/c"] as const;
const path = fc.constantFrom(...PATHS);
const text = fc.constantFrom("1", "2", "3").map((line) => `${line}\n`);

type Act = {
  by: "tool" | "stranger";
  kind: "write" | "delete" | "move";
  path: string;
  to: string;
  text: string;
};
const act: fc.Arbitrary<Act> = fc.record({
  by: fc.constantFrom("tool", "tool", "tool", "stranger"),
  kind: fc.constantFrom("write", "write", "delete", "move"),
  path,
  to: path,
  text,
});

type Tree = Record<string, string>;

/** Without empty folders. */
const filesIn = async (root: string): Promise<Tree> =>
  Object.fromEntries(Object.entries(await readTree(root)).filter(([name]) => !name.endsWith("/")));

/** The act as a patch, where it can be done. */
function patchOf({ kind, path: at, to, text: content }: Act, files: Tree): string | undefined {
  const old = files[at];
  const line = content.trimEnd();
  const lines =
    kind === "write"
      ? old === undefined
        ? [`*** Add File: ${at}`, `+${line}`]
        : [`*** Update File: ${at}`, `-${old.trimEnd()}`, `+${line}`]
      : old === undefined
        ? undefined
        : kind === "delete"
          ? [`*** Delete File: ${at}`]
          : files[to] === undefined
            ? [`*** Update File: ${at}`, `*** Move to: ${to}`, `-${old.trimEnd()}`, `+${line}`]
            : undefined;
  return lines && `*** Begin Patch\n${lines.join("\n")}\n*** End Patch`;
}

async function strangerDoes(root: string, { kind, path: at, to, text: content }: Act, files: Tree) {
  const place = async (name: string) => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    return join(root, name);
  };
  if (kind === "write") await writeFile(await place(at), content);
  else if (files[at] !== undefined && kind === "delete") await unlink(join(root, at));
  else if (files[at] !== undefined) await rename(join(root, at), await place(to));
}

describe("a rewind to any call of any conversation", () => {
  test.prop([fc.array(act, { minLength: 1, maxLength: 12 }), fc.nat(11), fc.boolean()], {
    numRuns: scaleRuns(400, 4),
  })("is exact, or reports the files that it leaves unchanged", async (acts, chosen, skipConflicts) => {
    const space = await temporaryWorkspaceForRun();
    try {
      const { root, workspace } = space;
      const journal = createMemoryJournal();
      const to = chosen % acts.length;
      /** Since that call: how files were before the first of its tools touched them, and as tools left them. */
      const base = new Map<string, string | undefined>();
      const left = new Map<string, string | undefined>();
      const foreign = new Set<string>();
      const compare = (files: Tree, names: Iterable<string>): void => {
        for (const name of names) if (left.has(name) && left.get(name) !== files[name]) foreign.add(name);
      };
      for (const [index, one] of acts.entries()) {
        const files = await filesIn(root);
        if (one.by === "stranger") {
          await strangerDoes(root, one, files);
          continue;
        }
        const patch = patchOf(one, files);
        if (patch === undefined) continue;
        const by = { agentId: "main", sessionKey: "s", runId: "r", toolCallId: `call_${index}` };
        const engine = createChangeEngine({ fs: workspace.fs, root, journal, by });
        const { report } = await applyPatchWith(engine, patch);
        if (index < to || !report.changed) continue;
        const touched = one.kind === "move" && one.path !== one.to ? [one.path, one.to] : [one.path];
        compare(files, touched);
        const now = await filesIn(root);
        for (const name of touched) {
          if (!base.has(name)) base.set(name, files[name]);
          left.set(name, now[name]);
        }
      }
      const end = await filesIn(root);
      compare(end, left.keys());

      const engine = createChangeEngine({ fs: workspace.fs, root, journal });
      const isOf = ({ toolCallId }: { toolCallId?: string }) => Number(toolCallId?.slice(5)) >= to;
      const { conflicts, refused, report } = await engine.rewind({ matches: isOf, skipConflicts });
      const after = await filesIn(root);
      const held = new Map(conflicts.map(({ path: real, why }) => [relative(root, real), why]));
      // What was told as somebody's work was that, and none of it was left out.
      for (const name of foreign) expect([...held.keys()]).toContain(name);
      for (const [name, why] of held) if (!why.includes("depends on")) expect(foreign).toContain(name);
      expect(refused).toBe(!skipConflicts && held.size > 0);
      const expected: Tree = { ...end };
      if (!refused)
        for (const [name, content] of base) {
          if (held.has(name)) continue;
          delete expected[name];
          if (content !== undefined) expected[name] = content;
        }
      expect(after).toEqual(expected);
      if (report.transactionId === undefined) return;
      await engine.undo(report.transactionId);
      expect(await filesIn(root)).toEqual(end);
    } finally {
      await rm(space.root, { recursive: true, force: true });
    }
  });
});

/** As many as there are runs: each removes its own. */
async function temporaryWorkspaceForRun() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "haft-rewind-")));
  return { root, workspace: createHostWorkspace({ root }) };
}
