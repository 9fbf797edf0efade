/**
 * Says who can act. `input`: the caller, with other arguments. `policy`: the operator, since a rule forbids the call. `operational`: the
 * operator of the system (disk, process, timeout). `internal`: the authors of Haft.
 */
export type ErrorCategory = "input" | "policy" | "operational" | "internal";

/** Says whether a call changed anything. After `unknown`, check before a retry. */
export type EffectReceipt = "none" | "committed" | "unknown";

/** Adds facts to code and message of an error. */
export interface HaftErrorOptions {
  /** Says who can act. Default `operational`. */
  category?: ErrorCategory;
  /** Suggests the next step, as one sentence. */
  fix?: string;
  /** Contains JSON facts for programs, such as paths and limits. */
  details?: Record<string, unknown>;
  /** States the effects of the failed operation, if known. */
  receipt?: EffectReceipt;
  /** Contains the causing error, for debugging. */
  cause?: unknown;
}

const BRAND = Symbol.for("haft.error");

/**
 * Has a stable code. {@link HaftError.is} recognizes errors of any copy of this package.
 *
 * @example
 * ```ts run
 * import { HaftError } from "@haft/core";
 *
 * const error = new HaftError("STATION_SILENT", "Station 7 did not answer within 5 s.", {
 *   fix: "Ask again in a minute.",
 * });
 * HaftError.is(error); // => true
 * error.category; // => "operational"
 * ```
 */
export class HaftError extends Error {
  /** Identifies the failure. */
  readonly code: string;
  /** Says who can act. */
  readonly category: ErrorCategory;
  /** Suggests the next step, as one sentence. */
  readonly fix: string | undefined;
  /** Contains JSON facts for programs. */
  readonly details: Record<string, unknown> | undefined;
  /** States the effects of the failed operation, if known. */
  readonly receipt: EffectReceipt | undefined;

  /**
   * @param code A stable code: `STATION_SILENT`.
   * @param message Cause in this case.
   */
  constructor(code: string, message: string, options: HaftErrorOptions = {}) {
    // JavaScript callers can pass null.
    options = options ?? {};
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HaftError";
    this.code = code;
    this.category = options.category ?? "operational";
    this.fix = options.fix;
    this.details = options.details;
    this.receipt = options.receipt;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Returns whether a value is a `HaftError`, of any copy of this package. Never throws. */
  static is(value: unknown): value is HaftError {
    try {
      return (
        typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
      );
    } catch {
      return false;
    }
  }
}

/** Limits the JSON text of a thrown object. */
const MAX_TEXT = 300;

/**
 * Returns the message of an error, or the value as text or JSON (at most 300 characters). Never empty, never throws.
 *
 * @example
 * ```ts run
 * import { getErrorMessage } from "@haft/core";
 *
 * getErrorMessage(new Error("disk full")); // => "disk full"
 * getErrorMessage({ status: 503 }); // => '{"status":503}'
 * getErrorMessage(""); // => "no reason given"
 * ```
 */
export function getErrorMessage(thrown: unknown): string {
  try {
    if (typeof thrown !== "object" || thrown === null) return String(thrown) || "no reason given";
    const { message, name } = thrown as { message?: unknown; name?: unknown };
    if (typeof message === "string" && message !== "") return message;
    if (thrown instanceof Error) return String(name);
    // Uses its own conversion.
    // oxlint-disable-next-line typescript/no-base-to-string
    const text = String(thrown);
    return text === "[object Object]" ? JSON.stringify(thrown).slice(0, MAX_TEXT) : text;
  } catch {
    return "an unreadable error";
  }
}
