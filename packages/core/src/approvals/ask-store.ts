import { withTimeout } from "@haft/utils";
import type { ApprovalStore } from "../contract/approval-port.ts";
import { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { messageWithCauses } from "../format/causes.ts";
import type { ApprovalSession } from "./subject.ts";

const STORE_LIMIT_MS = 5_000;

/** Rejects on failure or timeout; never throws synchronously. */
export function askStore<T>(
  { approvals }: ApprovalSession,
  ask: (store: ApprovalStore) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return withTimeout(() => ask(approvals), STORE_LIMIT_MS, { error: silent, signal });
}

export function handleStoreFailure<T>(
  { settings, key }: ApprovalSession,
  otherwise: T,
  report?: (why: string) => void,
): (thrown: unknown) => T {
  return (thrown) => {
    const fix = HaftError.is(thrown) && thrown.fix !== undefined ? ` ${thrown.fix}` : "";
    const why = `${messageWithCauses(thrown).replace(/\.$/, "")}.${fix}`;
    settings.logger.error("The store of approvals failed.", { session: key, thrown: why });
    report?.(why.replace(/\.$/, ""));
    return otherwise;
  };
}

function silent(): HaftError {
  const message = `the store of approvals did not answer within ${STORE_LIMIT_MS / 1000} s`;
  return coreError("APPROVALS_UNREADABLE", message);
}
