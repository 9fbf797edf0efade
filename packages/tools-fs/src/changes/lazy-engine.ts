import type { Workspace } from "@haft/plugin-sdk";
import { lazily } from "../scheduling/lazily.ts";
import type { ChangeEngine, ChangeEngineOptions } from "./plan/change-contract.ts";

const work = lazily(() => import("./change-engine.ts"));

export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const engine = async (): Promise<ChangeEngine> => (await work()).createChangeEngine(options);
  return {
    change: async (request) => (await engine()).change(request),
    undo: async (id, undoOptions) => (await engine()).undo(id, undoOptions),
    rewind: async (request) => (await engine()).rewind(request),
    list: async () => (await engine()).list(),
    recover: async () => (await engine()).recover(),
  };
}

export function workspaceEngineOptions(
  workspace: Workspace,
): Pick<ChangeEngineOptions, "fs" | "place" | "root" | "mounts"> {
  const { place, cwd, mounts } = workspace.describe();
  return { fs: workspace.fs, place, root: cwd, mounts };
}
