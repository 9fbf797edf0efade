import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import type { RunRecord } from "../../contract/ledger-port.ts";
import { coreError } from "../../errors.ts";
import { messageWithCauses } from "../../format/causes.ts";

export function sessionHeldError({ runId, sessionKey, heldBy }: RunRecord): HaftError {
  const who = heldBy === undefined ? "somebody" : `process ${heldBy.pid} on ${heldBy.host}`;
  const since = heldBy === undefined ? "" : `, since ${new Date(heldBy.since).toISOString()}`;
  const message = `The run ${runId} of the session ${sessionKey} is held by ${who}${since}.`;
  return coreError("SESSION_HELD", message, { details: { runId, ...(heldBy && { heldBy: { ...heldBy } }) } });
}

export function leaseLostError(
  { runId, sessionKey }: Pick<RunRecord, "runId" | "sessionKey">,
  now?: string,
): HaftError {
  const why = now ?? "its lease has ended";
  return coreError("SESSION_LEASE_LOST", `The session ${sessionKey} has lost its run ${runId}: ${why}.`, {
    details: { runId },
  });
}

export function runNotFoundError(runId: string, sessionKey: string): HaftError {
  return coreError("RUN_NOT_FOUND", `The session ${sessionKey} has no run ${runId}.`, { details: { runId } });
}

export function runElsewhereError({ runId, sessionKey }: RunRecord, why: string): HaftError {
  return coreError("RUN_ELSEWHERE", `The run ${runId} of the session ${sessionKey} ${why}.`, {
    details: { runId },
  });
}

export function ledgerUnavailableError(why: string, cause?: unknown): HaftError {
  return coreError("LEDGER_UNAVAILABLE", `The ledger cannot be written: ${why}.`, {
    ...(cause !== undefined && { cause }),
    ...(HaftError.is(cause) && cause.fix !== undefined && { fix: cause.fix }),
  });
}

export function ledgerStoreError(thrown: unknown): HaftError {
  if (HaftError.is(thrown) && KNOWN.has(thrown.code)) return thrown;
  return ledgerUnavailableError(
    messageWithCauses(thrown).replace(/\.$/, "") || getErrorMessage(thrown),
    thrown,
  );
}

const KNOWN = new Set([
  "LEDGER_UNAVAILABLE",
  "RUN_ELSEWHERE",
  "RUN_NOT_FOUND",
  "SESSION_HELD",
  "SESSION_LEASE_LOST",
  "INVALID_OPTIONS",
]);
