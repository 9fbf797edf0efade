import { withoutUndefined, withTimeout } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type {
  Fence,
  LedgerRun,
  LedgerStore,
  PastCall,
  RunOpening,
  RunRecord,
} from "../../contract/ledger-port.ts";
import type { Logger, WorkspaceDescription } from "../../contract/ports.ts";
import { messageWithCauses } from "../../format/causes.ts";
import type { SessionState } from "../session-state.ts";
import { ledgerUnavailableError, runElsewhereError, ledgerStoreError } from "./ledger-errors.ts";
import { Recorder, type StoreFaultMode } from "./recorder.ts";

const WAIT_MS = 30_000;

export interface Recording {
  readonly fence: RunFence;
  start(state: SessionState): void;
  abandon(): Promise<void>;
}

/** Opens the run to resume. @throws HaftError as `LedgerStore.open` */
export async function prepareRecording(
  store: LedgerStore,
  { resume, takeOver, signal, ...opening }: RunOpening,
  { onStoreFault, logger, place }: { onStoreFault: StoreFaultMode; logger: Logger; place: ResumedWorkspace },
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

/** Waiting calls belong to the next holder; running calls are aborted. */
function loseRun({ waiting, running }: SessionState, error: HaftError): void {
  for (const one of waiting.values()) if (one.settle({ kind: "left" })) running.leave(one.call);
  for (const call of running.all()) call.abort(error);
}

async function continued(
  store: LedgerStore,
  opening: RunOpening,
  place: ResumedWorkspace,
): Promise<LedgerRun> {
  const open = async () => {
    await requireSameWorkspace(store, opening, place);
    return store.open(opening);
  };
  let opened: Promise<LedgerRun> | undefined;
  try {
    if (opening.takeOver === true) return await open();
    return await withTimeout(() => (opened = open()), WAIT_MS, {
      error: () => ledgerUnavailableError(`its store did not open the run within ${WAIT_MS / 1000} s`),
    });
  } catch (thrown) {
    opened?.then((run) => run.close()).catch(() => {});
    opening.signal?.throwIfAborted();
    throw ledgerStoreError(thrown);
  }
}

function continueCalls(state: SessionState, run: LedgerRun): void {
  const waiting = run.past.filter(({ status }) => status === "pending");
  if (waiting.length === 0) return;
  state.continued = continueWaiting(state, run, waiting).finally(() => (state.continued = undefined));
}

async function continueWaiting(
  session: SessionState,
  run: LedgerRun,
  waiting: readonly PastCall[],
): Promise<void> {
  const { resumeCall } = await import("./resume/resume-call.ts");
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(
    waiting.map(async ({ toolCallId }) => {
      try {
        const record = session.closed ? undefined : await run.read(toolCallId);
        if (record === undefined) return;
        const { promise: decided, resolve } = Promise.withResolvers<void>();
        void resumeCall(session, record, resolve).then(resolve, resolve);
        await decided;
      } catch (thrown) {
        const reason = messageWithCauses(thrown);
        session.settings.logger.error("A waiting call could not be read.", { call: toolCallId, reason });
      }
    }),
  );
}

class RunFence implements Fence {
  recorder: Pick<Recorder, "run" | "lost"> | undefined;

  check(): void {
    if (this.recorder?.lost !== undefined) throw this.recorder.lost;
    this.recorder?.run?.lease.check();
  }

  get endsAt(): number {
    return this.recorder?.run?.lease.endsAt ?? Number.POSITIVE_INFINITY;
  }
}

type ResumedWorkspace = Pick<WorkspaceDescription, "name">;

/** Approvals of a run are valid only in its workspace. @throws HaftError `RUN_ELSEWHERE` */
async function requireSameWorkspace(
  store: LedgerStore,
  opening: RunOpening,
  { name }: ResumedWorkspace,
): Promise<void> {
  const before = await findRunToResume(store, opening);
  if (before === undefined) return;
  const { facts, workspace } = opening;
  const was = before.facts.kind;
  if (was !== facts.kind)
    throw runElsewhereError(before, `belongs to a ${was} session, and this is a ${facts.kind} session`);
  // Sandboxes share paths, and named workspaces are the same at any path.
  const isHost = before.workspace.place === "host" && workspace.place === "host" && name === undefined;
  if (isHost && before.workspace.cwd !== workspace.cwd)
    throw runElsewhereError(
      before,
      `used the folder ${before.workspace.cwd}, and this session uses ${workspace.cwd}`,
    );
}

type ResumedOpening = Pick<RunOpening, "resume" | "sessionKey"> & {
  readonly facts: Pick<RunOpening["facts"], "agentId">;
};

/** Returns the run that an opening would continue, without taking it. */
export async function findRunToResume(
  store: LedgerStore,
  { resume, sessionKey, facts }: ResumedOpening,
): Promise<RunRecord | undefined> {
  const isSameSession = (run: RunRecord) =>
    run.sessionKey === sessionKey && run.facts.agentId === facts.agentId;
  if (typeof resume === "string") {
    const named = await store.run(resume);
    return named !== undefined && isSameSession(named) ? named : undefined;
  }
  let after: string | undefined;
  do {
    const page = await store.runs({ sessionKey, ...(after !== undefined && { after }) });
    const latest = page.items.find(isSameSession);
    if (latest !== undefined) return latest;
    after = page.next;
  } while (after !== undefined);
  return undefined;
}
