import type { LedgerStore, RecordMode, RunOpening } from "../../contract/ledger-port.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";
import type { SessionState } from "../session-state.ts";
import { storeError } from "./ledger-errors.ts";
import { Recorder, type StoreFaultMode } from "./recorder.ts";
import { continueWaiting } from "./resume/continue-waiting.ts";

/**
 * From here on the calls of a session are recorded.
 *
 * @throws HaftError `SESSION_HELD`, `RUN_NOT_FOUND`, `LEDGER_UNAVAILABLE` where a run is to be continued
 */
export async function startRecording(
  state: SessionState,
  store: LedgerStore,
  { record: mode = "plan", onStoreFault = "refuse" }: { record?: RecordMode; onStoreFault?: StoreFaultMode },
  { resume, takeOver, signal }: Pick<RunOpening, "resume" | "takeOver" | "signal">,
): Promise<void> {
  const { place, cwd } = state.workspace.describe();
  const { logger } = state.settings;
  const opening = { sessionKey: state.key, facts: state.facts, workspace: { place, cwd }, mode };
  const run =
    resume === undefined
      ? undefined
      : await store
          .open(withoutUndefined({ ...opening, resume, takeOver, signal }))
          .catch((thrown: unknown) => {
            signal?.throwIfAborted();
            throw storeError(thrown);
          });
  state.recorder = new Recorder(
    { store, opening, onStoreFault, logger, run },
    {
      onStore: (now, message) => state.emit({ type: "ledger", store: now, message }),
      onRun: () => {},
      onLost: (error) => {
        for (const call of state.running.all()) call.abort(error);
      },
    },
  );
  const waiting = run?.past.filter(({ status }) => status === "pending") ?? [];
  if (run === undefined || waiting.length === 0) return;
  state.continued = continueWaiting(state, run, waiting).finally(() => (state.continued = undefined));
}
