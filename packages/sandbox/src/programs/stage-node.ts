import { runningNode, findSessionRoot, requireUnchangedProgram } from "@haft/system";
import { homedir } from "node:os";
import { join } from "node:path";
import { executeOnlyCopy, removeUnused } from "./execute-only-copy.ts";
import { withCodedErrors } from "./host-programs.ts";

/** The Node that is bound into sandboxes. */
export interface StagedNode {
  path: string;
  /** Commands cannot look into the process that runs it: neither memory, nor environment, nor open files. */
  guarded: boolean;
}

const ORIGINAL: StagedNode = { path: process.execPath, guarded: false };
const staged = new Map<string, Promise<StagedNode>>();

/** A copy of the running Node that commands cannot look into. One for each version. */
export async function stageNode(folder: string = getDefaultCacheFolder()): Promise<StagedNode> {
  withCodedErrors(() => requireUnchangedProgram(runningNode()));
  let staging = staged.get(folder);
  if (staging === undefined) {
    staging = stage(folder).catch(() => ORIGINAL);
    staged.set(folder, staging);
  }
  const copy = await staging;
  // A session may work there by now, and have put another one in its place.
  return findSessionRoot(copy.path) === undefined || !copy.guarded ? copy : ORIGINAL;
}

export function describeNodeGuard({ guarded }: Pick<StagedNode, "guarded">): string {
  return guarded
    ? "closed to commands"
    : "open to commands of the same user: its copy of Node could not be made, see `cacheFolder`";
}

/** Where what every sandbox shares is kept. */
export function getDefaultCacheFolder(): string {
  // Root's own cache folder is closed to those whom sandboxes run as.
  if (process.getuid?.() === 0) return "/var/cache/haft";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "haft");
}

async function stage(folder: string): Promise<StagedNode> {
  const path = await executeOnlyCopy("/proc/self/exe", `node-${process.version}-`, folder);
  await removeUnused("node-v", folder);
  return { path, guarded: true };
}
