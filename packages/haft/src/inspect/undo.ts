import { recordRewind } from "@haft/core/internal/records";
import type { Rewinding, RewindReport } from "@haft/core/kernel";
import type { UndoAsked } from "@haft/inspector";
import { hostError } from "../errors.ts";
import { rewindWith } from "../host/rewind-files.ts";
import { callsOfRun } from "../ledger/all-calls.ts";
import { callsSince, requireHere, requireQuiet } from "../ledger/rewind/calls-since.ts";
import { recordUndo } from "../ledger/rewind/record-undo.ts";
import type { Looking } from "./looking.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Puts files back as they were before a call: by its session where that is open here, and as `haft undo` does it otherwise.
 *
 * @throws HaftError as `session.rewind`; `RUN_NOT_FOUND`, `RUN_ELSEWHERE`, `REWIND_BUSY`
 */
export async function undoCall(looking: Looking, asked: UndoAsked): Promise<RewindReport> {
  const { runId, toolCallId, dryRun = false, skipConflicts = false } = asked;
  const live = looking.live(runId)?.session;
  if (live !== undefined) return live.rewind(toolCallId, { dryRun, skipConflicts });
  const { host, inside } = looking;
  const run = await looking.ledger().run(runId);
  if (run === undefined || inside.ledger === undefined)
    throw hostError("RUN_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`);
  const calls = await callsOfRun(inside.ledger, runId);
  if (!calls.some((call) => call.toolCallId === toolCallId))
    throw hostError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(toolCallId)}.`);
  requireHere(run, host.workspace.describe().cwd, toolCallId);
  if (!dryRun) requireQuiet(run, calls);
  const { records: rewound = [], ...found } = callsSince(run, calls, toolCallId);
  // It is the operator who says so.
  const rewinding: Rewinding = {
    ...found,
    workspace: host.workspace,
    dryRun,
    skipConflicts,
    allow: async () => {},
  };
  const rewind = (wanted: Rewinding) => rewindWith(host.changes, wanted);
  if (dryRun) return recordRewind(toolCallId, rewinding, { rewind, rewound });
  const undone = { ...found, run, workspace: host.workspace, by: "the inspector" };
  const logger = inside.given.logger ?? SILENT;
  return recordUndo(inside.ledger, undone, toolCallId, rewinding, { rewind, rewound, logger });
}
