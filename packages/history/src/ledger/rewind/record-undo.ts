import type { Logger, Workspace } from "@haft/core";
import type { RewindRequest } from "@haft/core/internal";
import { openRewindCall, recordRewind } from "@haft/core/internal/records";
import type { LedgerStore, RewindReport, RunOpening, RunRecord } from "@haft/core/kernel";
import { UNDO_AGENT } from "../find-run.ts";

export interface UndoTarget {
  /** `undefined` if only the journal has the calls. */
  run: RunRecord | undefined;
  sessionKey: string;
  runIds: readonly string[];
  workspace: Workspace;
  /** The recorded requester: `haft undo`. */
  by: string;
}

/**
 * Restores files and records this in the conversation. The record is a separate run, because another program
 * may continue the first.
 *
 * @param to The call before which files are restored.
 * @throws HaftError `LEDGER_UNAVAILABLE`; then no file was restored
 *
 * @example
 * ```ts
 * import { recordUndo } from "@haft/history/ledger";
 * declare const args: Parameters<typeof recordUndo>;
 * const report = await recordUndo(...args);
 * ```
 */
export async function recordUndo(
  ledger: LedgerStore,
  { run, sessionKey, runIds, workspace, by }: UndoTarget,
  to: string,
  rewinding: RewindRequest,
  { logger, ...how }: Omit<Parameters<typeof recordRewind>[2], "record"> & { logger: Logger },
): Promise<RewindReport> {
  const { target, cwd } = workspace.describe();
  const facts = run?.facts ?? { kind: "main", model: "", messageChannel: "" };
  const opening: RunOpening = {
    sessionKey,
    facts: { ...facts, agentId: UNDO_AGENT },
    workspace: { place: target, cwd },
    mode: run?.mode ?? "plan",
  };
  const { skipConflicts } = rewinding;
  const args = { to, run: runIds[0] ?? "", ...(skipConflicts === true && { skipConflicts }) };
  const intent = { args, reason: `The operator requested it (${by}).` };
  const opened = openRewindCall(ledger, opening, intent, logger);
  try {
    return await recordRewind(to, rewinding, { ...how, record: () => opened.call });
  } finally {
    await opened.close();
  }
}
