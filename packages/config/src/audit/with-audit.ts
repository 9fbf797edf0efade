import type { CallRecord, LedgerRun, LedgerStore } from "@haft/core/kernel";
import { isThenable } from "@haft/utils";
import { toAuditEntry, formatAuditLine } from "./audit-entry.ts";
import type { AuditLog } from "./audit-log.ts";

/** Characters per append: a log that was unavailable is completed in pieces. */
const PIECE = 1_000_000;

/**
 * Returns a ledger that also appends records to an audit log. A record that the log rejects counts as not recorded: changing calls do not
 * begin, and all records are retried, as `onStoreFault` says.
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
  // A retried batch must not log these again.
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
