import { HaftError } from "@haft/core";
import { storeError } from "../../errors.ts";

/** JetStream error codes, most of which the client does not name. */
const CONFLICTS: ReadonlySet<number> = new Set([10071, 10164]);
const NOT_THERE: ReadonlySet<number> = new Set([10014, 10037, 10059]);
const FULL: Readonly<Record<number, string>> = {
  10002: "the account has used up what it may keep",
  10023: "the server has no room left for JetStream",
  10028: "the account has used up what it may keep",
  10047: "the server has not that much room for JetStream",
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
  const tell = (which: Parameters<typeof storeError>[0], why: string, fix?: string) =>
    storeError(
      which,
      `${doing} ${at}: ${why}.`,
      fix === undefined ? { cause: thrown } : { cause: thrown, fix },
    );
  if (FULL[code] !== undefined)
    return tell(
      "NATS_FAILED",
      FULL[code],
      "Make room: `haft ledger forget` removes old runs; or keep less (`keep.bytes`: the streams reserve twice as much), or give server and account more.",
    );
  if (name === "PermissionViolationError") return tell("NATS_FORBIDDEN", message);
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError")
    return tell("NATS_FORBIDDEN", `it does not accept these credentials (${message})`);
  if (name === "JetStreamNotEnabled" || code === 10039 || code === 10076)
    return tell("NATS_UNFIT", "it has no JetStream for this account, or the stream has no leader now");
  if (name === "TimeoutError") return tell("NATS_FAILED", "no answer in time");
  const chain = thrown instanceof Error && thrown.cause instanceof Error ? natsCause(thrown.cause) : "";
  return tell("NATS_FAILED", `${message}${chain}`);
}

export function toUnavailableError(thrown: unknown): unknown {
  if (!HaftError.is(thrown) || !/^NATS_|^STORE_CLOSED$/.test(thrown.code)) return thrown;
  const { fix, message } = thrown;
  return storeError("LEDGER_UNAVAILABLE", message, { cause: thrown, ...(fix !== undefined && { fix }) });
}

export function unreadableRecordError(what: string): HaftError {
  const fix =
    "Somebody else writes there: give that right to hosts alone, and remove it with the `nats` command. What it replaced is gone.";
  return storeError(
    "STORE_CORRUPT",
    `What is kept on the NATS server cannot be read: ${what} is not what Haft wrote.`,
    {
      fix,
    },
  );
}

function natsCause(cause: Error): string {
  return ` (${cause.message})`;
}

function codeOf(thrown: unknown): number {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "number" ? code : 0;
}
