import type { Workspace } from "@haft/core";
import type { ChangeEngine, ChangeEngineOptions } from "./plan/change-contract.ts";
import type * as RunChange from "./run-change.ts";

/** One promise for all, so that changes are let in in the order in which they were asked for. */
let loading: Promise<typeof RunChange> | undefined;

/** See {@link ChangeEngine}. Cheap to make; holds no state of its own. What does the work is loaded with the first. */
export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const load = () => (loading ??= import("./run-change.ts"));
  return {
    change: async (request) => (await load()).runChange(options, request),
    undo: async (id, undoOptions = {}) => (await load()).runUndo(options, id, undoOptions),
    recover: async () => (await load()).runRecovery(options),
  };
}

/** Options of an engine that changes the files of a workspace. */
export function workspaceEngineOptions(
  workspace: Workspace,
): Pick<ChangeEngineOptions, "fs" | "place" | "root" | "mounts"> {
  const { place, cwd, mounts } = workspace.describe();
  return { fs: workspace.fs, place, root: cwd, mounts };
}
