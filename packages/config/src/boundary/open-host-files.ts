import type { Logger, Workspace } from "@haft/core";
import {
  createChangeEngine,
  workspaceEngineOptions,
  type ChangeEngineOptions,
  type Recovery,
} from "@haft/tools-fs/engine";
import { withoutUndefined } from "@haft/utils";
import { createHostWorkspace } from "@haft/workspace";
import { addHostGuards, type HostGuards } from "@haft/workspace/internal/boundary";
import type { HostBoundary } from "./host-boundary.ts";
import { findHostCode } from "./host-code.ts";
import { getReservedPatterns, type ReservedPaths } from "./reserved-folders.ts";

interface HostFiles {
  workspaceDir: string;
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>> | undefined;
  boundary?: HostBoundary | undefined;
  kept: ReservedPaths;
}

/**
 * The files of a host's sessions, without what the host keeps, and with its own code as it is.
 *
 * @throws HaftError `ROOT_INVALID`
 */
export function openHostFiles({ workspaceDir, roots, boundary = {}, kept }: HostFiles): Workspace {
  const { code: given = [], ...rest } = boundary;
  const guards: HostGuards = {
    closed: getReservedPatterns(kept),
    // Looked for before the first change, and not by a session that only reads.
    code(within) {
      const { code, names } = findHostCode(given, within);
      return [...code, ...names];
    },
  };
  addHostGuards(JSON.stringify([guards.closed, given]), guards);
  return createHostWorkspace(withoutUndefined({ root: workspaceDir, roots, ...rest, ...guards }));
}

/**
 * Ends what a crash left half done, and tells of it. Whoever agreed to a change agreed to all of it, so nobody is asked about taking
 * it back.
 */
export async function recoverChanges(
  files: HostFiles,
  journal: ChangeEngineOptions["journal"],
  logger: Pick<Logger, "warn"> | undefined,
): Promise<Recovery[]> {
  if (journal === undefined) return [];
  // Mostly there is nothing, and what would end it need not be loaded. What is begun meanwhile has a process that lives.
  const left = await journal.list({ unfinished: true });
  if (!left.some(({ state }) => state === "open")) return [];
  const workspace = openHostFiles({ ...files, boundary: { ...files.boundary, projectSettings: [] } });
  const recoveries = await createChangeEngine({ ...workspaceEngineOptions(workspace), journal }).recover();
  for (const { transactionId, outcome } of recoveries)
    logger?.warn(`A crash had left the change ${transactionId} half done: ${outcome}.`);
  return recoveries;
}
