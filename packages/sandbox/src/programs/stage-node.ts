import { runningNode, findSessionRoot, requireUnchangedProgram } from "@haft/system";
import { homedir } from "node:os";
import { join } from "node:path";
import { executeOnlyCopy, removeUnused } from "./execute-only-copy.ts";
import { withCodedErrors } from "./host-programs.ts";

export interface StagedNode {
  path: string;
  guarded: boolean;
}

const ORIGINAL: StagedNode = { path: process.execPath, guarded: false };
const staged = new Map<string, Promise<StagedNode>>();

export async function stageNode(folder: string = getDefaultCacheFolder()): Promise<StagedNode> {
  withCodedErrors(() => requireUnchangedProgram(runningNode()));
  let staging = staged.get(folder);
  if (staging === undefined) {
    staging = stage(folder).catch(() => ORIGINAL);
    staged.set(folder, staging);
  }
  const copy = await staging;
  // A session could have replaced it.
  return findSessionRoot(copy.path) === undefined || !copy.guarded ? copy : ORIGINAL;
}

export function describeNodeGuard({ guarded }: Pick<StagedNode, "guarded">): string {
  return guarded
    ? "closed to commands"
    : "open to commands of the same user: Node could not be copied, see `cacheFolder`";
}

export function getDefaultCacheFolder(): string {
  // Users of sandboxes cannot reach root's home.
  if (process.getuid?.() === 0) return "/var/cache/haft";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "haft");
}

async function stage(folder: string): Promise<StagedNode> {
  const path = await executeOnlyCopy("/proc/self/exe", `node-${process.version}-`, folder);
  await removeUnused("node-v", folder);
  return { path, guarded: true };
}
