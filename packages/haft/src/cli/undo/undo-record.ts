import type { Workspace } from "@haft/core";
import { openRewindCall, recordRewind } from "@haft/core/internal/records";
import type { Rewinding, RewindReport, RunOpening, RunRecord } from "@haft/core/kernel";
import { UNDO_AGENT } from "../ledger/find-run.ts";
import { withNewLedger } from "../ledger/open-ledger.ts";
import type { PlaceValues } from "../place/kept-store.ts";
import { stderrLogger } from "../stderr-logger.ts";

/** Whose files are put back, and where that is recorded. */
interface Undone {
  /** The run of the call; absent where only the journal knows of it. */
  run: RunRecord | undefined;
  sessionKey: string;
  runIds: readonly string[];
  place: PlaceValues;
  workspace: Workspace;
}

/**
 * Puts files back, recorded in the conversation: in a run of its own, since a program may have that of the call, and since what
 * continues the conversation goes on in that.
 *
 * @throws HaftError `LEDGER_UNAVAILABLE`: then nothing was put back
 */
export async function withUndoRecord(
  { run, sessionKey, runIds, place: where, workspace }: Undone,
  to: string,
  rewinding: Rewinding,
  how: Omit<Parameters<typeof recordRewind>[2], "record">,
): Promise<RewindReport> {
  const { place, cwd } = workspace.describe();
  const facts = run?.facts ?? { kind: "main", model: "", messageChannel: "" };
  const opening: RunOpening = {
    sessionKey,
    facts: { ...facts, agentId: UNDO_AGENT },
    workspace: { place, cwd },
    mode: run?.mode ?? "plan",
  };
  const { skipConflicts } = rewinding;
  const args = { to, run: runIds[0] ?? "", ...(skipConflicts === true && { skipConflicts }) };
  return withNewLedger(where, async (ledger) => {
    const intent = { args, reason: "The operator asked for it (haft undo)." };
    const opened = openRewindCall(ledger, opening, intent, stderrLogger);
    try {
      return await recordRewind(to, rewinding, { ...how, record: () => opened.call });
    } finally {
      await opened.close();
    }
  });
}
