import { expect, test } from "vitest";
import { longestTurn } from "../../../../test/support/longest-turn.ts";
import { applyPatch } from "../../src/apply-patch/apply-patch-text.ts";
import { createMemoryFileSystem } from "../support/memory-file-system.ts";

const patchOf = (count: number, kind: string, body: string): string =>
  `*** Begin Patch\n${Array.from({ length: count }, (_, index) => `*** ${kind} File: f${index}\n${body}`).join("")}*** End Patch`;

const kinds = [
  ["Add", "+x\n"],
  ["Delete", ""],
  ["Update", "@@\n-x\n+y\n"],
] as const;

test.each(kinds)("rejects a patch of more than 10,000 files before planning: %s", async (kind, body) => {
  const fs = createMemoryFileSystem({});
  let refused: unknown;
  const turn = await longestTurn(async () => {
    refused = await applyPatch(patchOf(60_000, kind, body), { fs }).catch((error: unknown) => error);
  });
  expect(refused).toMatchObject({
    code: "PATCH_INVALID",
    message: expect.stringContaining("more than 10000 files"),
  });
  // It took eleven seconds.
  expect(turn).toBeLessThan(5_000);
});

test.each(kinds)(
  "does not block other work while it applies a patch of thousands of files: %s",
  async (kind, body) => {
    const fs = createMemoryFileSystem({});
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns > 0) next = setImmediate(count);
    };
    let next = setImmediate(count);
    const turn = await longestTurn(() =>
      applyPatch(patchOf(4_000, kind, body), { fs }).catch(() => undefined),
    );
    clearImmediate(next);
    expect(turns).toBeGreaterThan(10);
    expect(turn).toBeLessThan(5_000);
  },
);
