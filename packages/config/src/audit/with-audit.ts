import type { CallRecord, LedgerRun, LedgerStore } from "@haft/core/kernel";
import { isThenable } from "@haft/utils";
import { toAuditEntry, formatAuditLine } from "./audit-entry.ts";
import type { AuditLog } from "./audit-log.ts";

/** Characters that are appended at once: a log that was away for long is caught up with in pieces. */
const PIECE = 1_000_000;

/**
 * The same ledger, which also writes every record to an audit log, once the store has it. What the log does not take counts as not
 * recorded: what changes things does not begin, and all of it is tried again, as `onStoreFault` says.
 */
export function withAudit(ledger: LedgerStore, log: AuditLog): LedgerStore {
  return {
    async open(opening) {
      const run = await ledger.open(opening);
      return audited(run, log);
    },
    runs: (query) => ledger.runs(query),
    calls: (query) => ledger.calls(query),
    run: (runId) => ledger.run(runId),
    call: (runId, toolCallId) => ledger.call(runId, toolCallId),
    forget: (which) => ledger.forget(which),
    close: () => ledger.close(),
  };
}

function audited(run: LedgerRun, log: AuditLog): LedgerRun {
  // Of a batch that is written again because a part of it was not.
  const logged = new WeakSet<CallRecord>();
  const append = (records: readonly CallRecord[]): void | Promise<void> => {
    const piece: CallRecord[] = [];
    let lines = "";
    for (const record of records) {
      if (logged.has(record)) continue;
      piece.push(record);
      lines += formatAuditLine(toAuditEntry(record, run.record, Date.now()));
      if (lines.length >= PIECE) break;
    }
    if (piece.length === 0) return;
    const goOn = () => {
      for (const record of piece) logged.add(record);
      return append(records);
    };
    const appended = log.append(lines);
    return isThenable(appended) ? appended.then(goOn) : goOn();
  };
  return {
    record: run.record,
    past: run.past,
    lease: run.lease,
    read: (toolCallId) => run.read(toolCallId),
    close: () => run.close(),
    write(records) {
      const written = run.write(records);
      return isThenable(written) ? written.then(() => append(records)) : append(records);
    },
  };
}
