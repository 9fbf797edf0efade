import type { HaftError } from "../../src/contract/errors.ts";
import type { CallRecord, LedgerRun, LedgerStore, RunOpening } from "../../src/contract/ledger-port.ts";
import type { AnyTool } from "../../src/contract/tool.ts";
import { leaseLostError } from "../../src/kernel/recording/ledger-errors.ts";
import { createMemoryStore } from "../../src/kernel/recording/memory-store.ts";
import type { Session } from "../../src/session/session.ts";
import { answer, echo, openSession, type TestSession } from "./kernel.ts";

/** What a store does instead of what it is asked. */
type Fault = "throws" | "rejects" | "hangs" | undefined;

/** A store in memory that fails when it is told to, and tells what it was given. */
export interface TestStore extends LedgerStore {
  /** What opening and writing do from now on. */
  opening: Fault;
  writing: Fault;
  /** Writes answer with a promise, as those of stores behind a network do. */
  isSlow: boolean;
  /** Every batch that was asked for, as `id status`. */
  readonly batches: string[][];
  /** The runs that were opened. */
  readonly opened: LedgerRun[];
  /** Takes the runs that are open away from whoever has them. */
  loseLeases(): void;
  /** Lets what hangs go on, as if it had been slow. */
  release(): void;
  /** All calls that are kept, in the order of their places. */
  all(): Promise<CallRecord[]>;
}

export function testStore(inner: LedgerStore = createMemoryStore()): TestStore {
  let gate = Promise.withResolvers<void>();
  const losses: { controller: AbortController; error?: HaftError }[] = [];
  const fail = (fault: Fault, what: string, go: () => unknown): unknown => {
    if (fault === "throws") throw new Error(`no ${what}: disk full`);
    if (fault === "rejects") return Promise.reject(new Error(`no ${what}: connection lost`));
    return fault === "hangs" ? gate.promise.then(go) : go();
  };
  const heldRun = (run: LedgerRun): LedgerRun => {
    const loss: (typeof losses)[number] = { controller: new AbortController() };
    losses.push(loss);
    const mustHold = () => {
      if (loss.error !== undefined) throw loss.error;
    };
    return {
      ...run,
      record: run.record,
      past: run.past,
      lease: {
        epoch: run.lease.epoch,
        endsAt: run.lease.endsAt,
        lost: loss.controller.signal,
        check: () => {
          mustHold();
          run.lease.check();
        },
      },
      write(calls) {
        store.batches.push(calls.map(({ toolCallId, status }) => `${toolCallId} ${status}`));
        mustHold();
        const written = fail(store.writing, "write", () => run.write(calls)) as void | Promise<void>;
        return store.isSlow ? Promise.resolve(written) : written;
      },
      read: (id) => run.read(id),
      close: () => run.close(),
    };
  };
  const store: TestStore = {
    opening: undefined,
    writing: undefined,
    isSlow: false,
    batches: [],
    opened: [],
    open(opening: RunOpening) {
      return fail(store.opening, "opening", async () => {
        const run = heldRun(await inner.open(opening));
        store.opened.push(run);
        return run;
      }) as Promise<LedgerRun>;
    },
    runs: (query) => inner.runs(query),
    calls: (query) => inner.calls(query),
    run: (id) => inner.run(id),
    call: (runId, id) => inner.call(runId, id),
    forget: (which) => inner.forget(which),
    close: () => inner.close(),
    loseLeases() {
      for (const [index, loss] of losses.entries()) {
        loss.error = leaseLostError(store.opened[index]!.record, "another process has it");
        loss.controller.abort(loss.error);
      }
    },
    release() {
      gate.resolve();
      gate = Promise.withResolvers();
    },
    all: async () =>
      [...(await inner.calls({ order: "oldest", limit: 1000 })).items].toSorted((a, b) => a.seq - b.seq),
  };
  return store;
}

/** A session of before ended without a word: its run is let go, and what was executing stays so. */
export async function crash(store: TestStore): Promise<void> {
  for (const run of store.opened) await run.close();
}

/** A tool whose runs are counted. */
export function createCountingTool(
  name = "send",
  parts: Partial<AnyTool> = {},
): { tool: AnyTool; runs: string[] } {
  const runs: string[] = [];
  const tool = echo(name, {
    effects: ["message"],
    execute: (id, params) => {
      runs.push(id);
      return answer(`sent ${(params as { value: string }).value}`);
    },
    ...parts,
  });
  return { tool, runs };
}

/** The session `s` of a host with this store. */
export function openRecordedSession(
  store: TestStore,
  setup: TestSession,
  resume?: true | string,
): Promise<Session> {
  return openSession({ store, ...setup, open: { sessionKey: "s", ...(resume !== undefined && { resume }) } });
}

/** One call of a counted tool. */
export function send(id: string | undefined, value: string, name = "send") {
  return { ...(id !== undefined && { id }), name, arguments: { value } };
}
