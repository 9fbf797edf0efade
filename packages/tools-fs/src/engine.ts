// Changes of files for hosts and other packages. Each function loads its module at the first call.
import type { applyPatchWith as ApplyPatchWith } from "./apply-patch/apply-patch-text.ts";
import type { withPathLocks as WithPathLocks } from "./changes/locks/path-locks.ts";
import type { ChangeEngine, ChangeEngineOptions } from "./changes/plan/change-contract.ts";
import type { diffTexts as DiffTexts } from "./changes/text/content-diff.ts";
import { lazyModule } from "./scheduling/lazy-tool.ts";

export type { RewindResult } from "./changes/plan/change-contract.ts";
export type { ChangeEngine, ChangeEngineOptions, Recovery } from "./changes/plan/change-contract.ts";
export { workspaceEngineOptions } from "./changes/plan/change-contract.ts";
export type { ChangeReport } from "./changes/plan/change-report.ts";
export type { TransactionRecord } from "./changes/journal/transaction.ts";

const patching = lazyModule(() => import("./apply-patch/apply-patch-text.ts"));
const changing = lazyModule(() => import("./changes/change-engine.ts"));

/**
 * Applies a patch with a change engine: completely, or not at all.
 *
 * @param engine The engine for the change.
 * @param input The patch, in the format of Codex.
 * @param options `dryRun` reports the change without writing it (default false). `signal` aborts the patch.
 * @throws `PATCH_INVALID`, `PATCH_CONFLICT`, and file system errors, each with the state of the disk
 * @example
 * ```ts
 * import { applyPatchWith, createChangeEngine } from "@haft/tools-fs/engine";
 * import { createHostWorkspace } from "@haft/workspace";
 * const engine = createChangeEngine({ fs: createHostWorkspace({ root: "/srv/project" }).fs });
 * const patch = ["*** Begin Patch", "*** Delete File: old.txt", "*** End Patch"].join("\n");
 * const { summary } = await applyPatchWith(engine, patch, { dryRun: true });
 * ```
 */
export const applyPatchWith: typeof ApplyPatchWith = async (...given) =>
  (await patching()).applyPatchWith(...given);

/**
 * Creates a change engine, which changes files as transactions: all files of a change, or none.
 *
 * @param options The file system, and the journal for undo and recovery.
 * @returns The engine. Its module loads at the first call of a method.
 * @example
 * ```ts
 * import { createDirectoryJournal } from "@haft/tools-fs";
 * import { createChangeEngine, workspaceEngineOptions } from "@haft/tools-fs/engine";
 * import { createHostWorkspace } from "@haft/workspace";
 * const workspace = createHostWorkspace({ root: "/srv/project" });
 * const journal = createDirectoryJournal("/var/lib/journal");
 * const engine = createChangeEngine({ ...workspaceEngineOptions(workspace), journal });
 * const [last] = await engine.list();
 * if (last !== undefined) await engine.undo(last.id);
 * ```
 */
export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const engine = async (): Promise<ChangeEngine> => (await changing()).createChangeEngine(options);
  return {
    change: async (request) => (await engine()).change(request),
    undo: async (id, undoOptions) => (await engine()).undo(id, undoOptions),
    rewind: async (request) => (await engine()).rewind(request),
    list: async () => (await engine()).list(),
    recover: async () => (await engine()).recover(),
  };
}

/**
 * Runs work while no other Haft process of this user changes the same files. Locks of ended processes are broken. Without a private folder
 * for locks, the work runs without a lock.
 *
 * @param targets The path for messages, and the absolute real path, which is equal in all processes.
 * @param run The work.
 * @param options `waitMs`: wait for another process (default 10,000). `folder`: folder of the locks. `signal` ends the wait.
 * @throws `FILE_BUSY` if another process holds a file longer; `ABORTED`
 * @example
 * ```ts
 * import { appendFile } from "node:fs/promises";
 * import { withPathLocks } from "@haft/tools-fs/engine";
 * const path = "/var/lib/bot/notes.txt";
 * await withPathLocks([{ path, real: path }], () => appendFile(path, "A note.\n"), { waitMs: 1_000 });
 * ```
 */
export const withPathLocks: typeof WithPathLocks = async (...given) =>
  (await import("./changes/locks/path-locks.ts")).withPathLocks(...given);

/**
 * Returns the unified diff of two texts, or `undefined` if they are equal or the diff would exceed 64 KiB.
 *
 * @param labels Names of the two texts in the diff's head.
 * @param before The old text.
 * @param after The new text.
 * @example
 * ```ts run
 * import { diffTexts } from "@haft/tools-fs/engine";
 * const diff = await diffTexts({ before: "a", after: "b" }, "one\n", "two\n");
 * diff?.includes("-one\n+two"); // => true
 * ```
 */
export const diffTexts: typeof DiffTexts = async (...given) =>
  (await import("./changes/text/content-diff.ts")).diffTexts(...given);
