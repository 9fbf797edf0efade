import { invalidOptions } from "@haft/core";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import type { Host } from "@haft/host";
import {
  isLedger,
  isShared,
  type HostInternals,
  getHostInternals,
  type OpenSession,
} from "@haft/host/internal/host";
import { stateFile } from "@haft/host/internal/store";
import { existsSync } from "node:fs";
import { GuardedCalls } from "./runs/guarded-calls.ts";
import { liveLedger } from "./runs/live-ledger.ts";

export type ReadLedger = Pick<LedgerStore, "runs" | "calls" | "run" | "call">;

export interface InspectionContext {
  readonly host: Host;
  readonly internals: HostInternals;
  readonly ledger: () => ReadLedger;
  /** Excludes other agents' calls. */
  readonly recorded: () => ReadLedger;
  readonly hasStoredLedger: () => boolean;
  /** Other agents' calls from the audit log. */
  readonly guarded: GuardedCalls;
  readonly live: (runId: string) => OpenSession | undefined;
  readonly resume: ((run: RunRecord) => string | undefined) | undefined;
}

/** @throws HaftError `INVALID_OPTIONS` for a host not from `createHost` */
export function createInspectionContext(
  host: Host,
  resume?: (run: RunRecord) => string | undefined,
): InspectionContext {
  const inside = getHostInternals(host);
  if (inside === undefined) throw invalidOptions("The inspector needs a host that createHost created.");
  const { options, stateDir, sessions } = inside;
  const guarded = new GuardedCalls(inside.approvals);
  const remembered = liveLedger(() => sessions.all());
  const ofSessions = guarded.addTo(remembered);
  const recorded = inside.ledger && withLatest(inside.ledger, () => sessions.all());
  const stored = recorded && guarded.addTo(recorded);
  const isStored = () => {
    if (inside.ledger === undefined) return false;
    if (isLedger(options.store) || inside.isShared || isShared(options.store) || stateDir === undefined)
      return true;
    return existsSync(stateFile(stateDir));
  };
  return {
    host,
    internals: inside,
    hasStoredLedger: isStored,
    ledger: () => (isStored() ? stored! : ofSessions),
    recorded: () => (isStored() ? recorded! : remembered),
    guarded,
    live: (runId) => sessions.all().find(({ session }) => session.opening === runId),
    resume,
  };
}

/** Includes calls without written records. */
function withLatest(ledger: LedgerStore, sessions: () => readonly OpenSession[]): ReadLedger {
  return {
    runs: (query) => ledger.runs(query),
    run: (runId) => ledger.run(runId),
    call: (runId, toolCallId) => ledger.call(runId, toolCallId),
    async calls(query) {
      // Waits for the requested session only.
      const queried = sessions().filter(
        ({ session }) => (query.runId ?? session.opening) === session.opening,
      );
      await Promise.all(queried.map(({ session }) => session.flush()));
      return ledger.calls(query);
    },
  };
}
