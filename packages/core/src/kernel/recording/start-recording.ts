import type { HaftError } from "../../contract/errors.ts";
import type { LedgerRun, LedgerStore, RunOpening } from "../../contract/ledger-port.ts";
import type { Logger } from "../../contract/ports.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";
import { withTimeout } from "../../utils/promises.ts";
import type { SessionState } from "../session-state.ts";
import { ledgerUnavailable, storeError } from "./ledger-errors.ts";
import { Recorder, type StoreFaultMode } from "./recorder.ts";
import { continueWaiting } from "./resume/continue-waiting.ts";
import { type ResumedPlace, requireSamePlace } from "./resume/same-place.ts";
import { RunFence } from "./run-fence.ts";

/** Milliseconds a store has to answer with the run that is continued. */
const WAIT_MS = 30_000;

/** What a session is recorded in, before there is a session. */
export interface Recording {
  /** What its workspace is held by. */
  readonly fence: RunFence;
  /** From here on its calls are recorded, and those that waited when the run was left go on. */
  start(state: SessionState): void;
  abandon(): Promise<void>;
}

/**
 * Has the run that is to be continued; a new one is opened at the first call.
 *
 * @throws HaftError `SESSION_HELD`, `RUN_NOT_FOUND`, `RUN_ELSEWHERE`, `LEDGER_UNAVAILABLE`; and the reason of its signal
 */
export async function prepareRecording(
  store: LedgerStore,
  { resume, takeOver, signal, ...opening }: RunOpening,
  { onStoreFault, logger, place }: { onStoreFault: StoreFaultMode; logger: Logger; place: ResumedPlace },
): Promise<Recording> {
  const fence = new RunFence();
  const run =
    resume === undefined
      ? undefined
      : await continued(store, withoutUndefined<RunOpening>({ ...opening, resume, takeOver, signal }), place);
  return {
    fence,
    start(state) {
      const parts = { store, opening, newRunId: () => state.openingId, onStoreFault, logger, run };
      fence.recorder = state.recorder = new Recorder(parts, {
        onStore: (now, message) => state.emit({ type: "ledger", store: now, message }),
        onLost: (error) => loseRun(state, error),
      });
      if (run !== undefined) continueCalls(state, run);
    },
    abandon: async () => run?.close(),
  };
}

/** What waits for a decision is for whoever has the run now; what runs is told to stop. */
function loseRun({ waiting, running }: SessionState, error: HaftError): void {
  for (const one of waiting.values()) if (one.settle({ kind: "left" })) running.leave(one.call);
  for (const call of running.all()) call.abort(error);
}

/** Waits for whoever has the run as long as it takes, and for a store that does not answer no longer than that is worth. */
async function continued(store: LedgerStore, opening: RunOpening, place: ResumedPlace): Promise<LedgerRun> {
  const open = async () => {
    await requireSamePlace(store, opening, place);
    return store.open(opening);
  };
  let opened: Promise<LedgerRun> | undefined;
  try {
    if (opening.takeOver === true) return await open();
    return await withTimeout(() => (opened = open()), WAIT_MS, { error: slow });
  } catch (thrown) {
    // One that comes too late is nobody's.
    opened?.then((run) => run.close()).catch(() => {});
    opening.signal?.throwIfAborted();
    throw storeError(thrown);
  }
}

function continueCalls(state: SessionState, run: LedgerRun): void {
  const waiting = run.past.filter(({ status }) => status === "pending");
  if (waiting.length === 0) return;
  state.continued = continueWaiting(state, run, waiting).finally(() => (state.continued = undefined));
}

function slow(): HaftError {
  return ledgerUnavailable(`its store did not open the run within ${WAIT_MS / 1000} s`);
}
