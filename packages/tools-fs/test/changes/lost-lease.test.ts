import { HaftError } from "@haft/core";
import { fenceWorkspace } from "@haft/core/internal";
import { describe, expect, test } from "vitest";
import { applyPatch } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { createWriteTool } from "../../src/index.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { BEFORE, PATCH } from "../support/twenty-files.ts";

/** A fence that ends after so many looks. */
function fenceAfter(looks: number) {
  return {
    endsAt: Number.POSITIVE_INFINITY,
    check() {
      if (looks-- <= 0) throw new HaftError("SESSION_LEASE_LOST", "It is over.", { receipt: "none" });
    },
  };
}

describe("a lost lease", () => {
  test("stops a change before or between steps, and the next process reverts it", async () => {
    const outcomes = new Set<string>();
    for (let looks = 0; !outcomes.has("whole"); looks += 7) {
      const space = await temporaryWorkspace(BEFORE);
      const folder = temporaryFolder();
      const { root, workspace } = space;
      const journal = createDirectoryJournal(folder);
      let changes = 0;
      let over = false;
      const fence = fenceAfter(looks);
      const check = fence.check.bind(fence);
      fence.check = () => {
        try {
          check();
        } catch (thrown) {
          over = true;
          throw thrown;
        }
      };
      const { fs } = fenceWorkspace(workspace, fence);
      const counted = {
        ...fs,
        write: async (...args: Parameters<typeof fs.write>) => {
          const done = await fs.write(...args);
          if (over) changes += 1;
          return done;
        },
      };
      const thrown = await applyPatch(PATCH, { fs: counted, root, journal }).then(
        () => undefined,
        (error: unknown) => error as HaftError,
      );
      expect(changes).toBe(0);
      if (thrown === undefined) {
        outcomes.add("whole");
        continue;
      }
      expect(thrown.code).toBe("SESSION_LEASE_LOST");
      const entries = await journal.list();
      if (thrown.receipt === "none") {
        outcomes.add("nothing");
        expect([await readTree(root), entries]).toEqual([BEFORE, []]);
        continue;
      }
      outcomes.add("a part");
      expect(thrown).toMatchObject({ receipt: "unknown", details: { operationsDone: expect.any(Number) } });
      // Nobody takes it back while this program, which may be in the middle of it, is there.
      expect(entries).toMatchObject([{ state: "running" }]);
      const next = createChangeEngine({
        fs: workspace.fs,
        root,
        journal: { ...journal, list: async () => entries.map((one) => ({ ...one, state: "open" as const })) },
      });
      expect(await next.recover()).toMatchObject([{ outcome: "rolled-back", failed: [] }]);
      expect(await readTree(root)).toEqual(BEFORE);
    }
    expect([...outcomes].toSorted()).toEqual(["a part", "nothing", "whole"]);
  });

  test("also stops a tool with its own workspace", async () => {
    const { root, workspace, context } = await temporaryWorkspace();
    const tool = createWriteTool({ workspace });
    const { signal } = new AbortController();
    const call = (fence: ReturnType<typeof fenceAfter>) =>
      tool.execute("call_1", { path: "a", content: "1" }, signal, () => {}, {
        ...context,
        fenced: (own) => fenceWorkspace(own, fence),
      });
    await expect(call(fenceAfter(0))).rejects.toMatchObject({ code: "SESSION_LEASE_LOST" });
    expect(await readTree(root)).toEqual({});
    await call(fenceAfter(100));
    expect(await readTree(root)).toEqual({ a: "1" });
  });
});
