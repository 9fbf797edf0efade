import { HaftError } from "@haft/core";
import { storeError } from "../../errors.ts";

/** JetStream error codes, most of which the client does not name. */
const CONFLICTS: ReadonlySet<number> = new Set([10071, 10164]);
const NOT_THERE: ReadonlySet<number> = new Set([10014, 10037, 10059]);
const FULL: Readonly<Record<number, string>> = {
  10002: "the account has used up its storage limit",
  10023: "the server has no storage left for JetStream",
  10028: "the account has used up its storage limit",
  10047: "the server does not have that much storage for JetStream",
  10077: "the stream is full (`max_bytes`)",
  10110: "the stream needs `max_bytes`, or more than the account allows",
};

export function isConflict(thrown: unknown): boolean {
  return CONFLICTS.has(codeOf(thrown));
}

export function isMissing(thrown: unknown): boolean {
  return NOT_THERE.has(codeOf(thrown));
}

export function toNatsError(doing: string, thrown: unknown, servers: string): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  const { name, message } = thrown instanceof Error ? thrown : { name: "", message: String(thrown) };
  const at = `on the NATS server (${servers})`;
  const toError = (which: Parameters<typeof storeError>[0], why: string, fix?: string) =>
    storeError(
      which,
      `${doing} ${at}: ${why}.`,
      fix === undefined ? { cause: thrown } : { cause: thrown, fix },
    );
  if (FULL[code] !== undefined)
    return toError(
      "NATS_FAILED",
      FULL[code],
      "Free storage: `haft ledger forget` removes old runs. Or reduce `keep.bytes` (the streams reserve twice as much), or give the server and the account more storage.",
    );
  if (name === "PermissionViolationError") return toError("NATS_FORBIDDEN", message);
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError")
    return toError("NATS_FORBIDDEN", `it does not accept these credentials (${message})`);
  if (name === "JetStreamNotEnabled" || code === 10039 || code === 10076)
    return toError(
      "NATS_UNFIT",
      "JetStream is not available for this account, or the stream has no leader now",
    );
  if (name === "TimeoutError") return toError("NATS_FAILED", "no answer in time");
  const chain = thrown instanceof Error && thrown.cause instanceof Error ? natsCause(thrown.cause) : "";
  return toError("NATS_FAILED", `${message}${chain}`);
}

export function toUnavailableError(thrown: unknown): unknown {
  if (!HaftError.is(thrown) || !/^NATS_|^STORE_CLOSED$/.test(thrown.code)) return thrown;
  const { fix, message } = thrown;
  return storeError("LEDGER_UNAVAILABLE", message, { cause: thrown, ...(fix !== undefined && { fix }) });
}

export function unreadableRecordError(what: string): HaftError {
  const fix =
    "Another program writes there: give this permission to hosts alone, and remove the message with the `nats` command. The data that it replaced is lost.";
  return storeError("STORE_CORRUPT", `Data on the NATS server cannot be read: Haft did not write ${what}.`, {
    fix,
  });
}

function natsCause(cause: Error): string {
  return ` (${cause.message})`;
}

function codeOf(thrown: unknown): number {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "number" ? code : 0;
}
