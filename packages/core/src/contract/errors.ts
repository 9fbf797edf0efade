/**
 * Who can act on an error. `input`: the caller, by other arguments. `policy`: the operator, since a rule forbids the call.
 * `operational`: whoever runs the system (a disk, a process, a timeout). `internal`: the authors of Haft.
 * `docs/reference/errors.md` lists every code.
 */
export type ErrorCategory = "input" | "policy" | "operational" | "internal";

/** What a call may have changed. After `unknown`, check before a retry. */
export type EffectReceipt = "none" | "committed" | "unknown";

/** What an error has beside its code and message. */
export interface HaftErrorOptions {
  /** Who can do something about it. Default `operational`. */
  category?: ErrorCategory;
  /** What to do next, as one sentence for the model and for people. */
  fix?: string;
  /** Structured facts for programs, such as paths, limits and similar names. Must be JSON. */
  details?: Record<string, unknown>;
  /** What the failed operation left behind, if that is known. */
  receipt?: EffectReceipt;
  /** The error that led to this one, for debugging. */
  cause?: unknown;
}

const BRAND = Symbol.for("haft.error");

/**
 * An error with a stable code. Check it with {@link HaftError.is}, which also recognizes errors of another copy of this package.
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
  /** The stable code of what happened. */
  readonly code: string;
  /** Who can do something about it. */
  readonly category: ErrorCategory;
  /** What to do next, as one sentence. */
  readonly fix: string | undefined;
  /** Structured facts for programs, as JSON. */
  readonly details: Record<string, unknown> | undefined;
  /** What the failed operation left behind, if that is known. */
  readonly receipt: EffectReceipt | undefined;

  /**
   * @param code The stable code of what happened: `STATION_SILENT`.
   * @param message What happened and why, in this case.
   * @param options Further facts. The category shows who can act, and the fix shows what to do.
   */
  constructor(code: string, message: string, options: HaftErrorOptions = {}) {
    // JavaScript has no types to say that null is none.
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

  /** Returns whether a value is a `HaftError`, also one of another copy of this package. Never throws. */
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

/** Of an object that was thrown and has no text of its own. */
const MAX_TEXT = 300;

/**
 * Returns the text of any thrown value: the message of an error, otherwise the value as text or JSON (at most 300 characters).
 * The text is never empty, and the function never throws.
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
    // Whatever text it has of its own.
    // oxlint-disable-next-line typescript/no-base-to-string
    const text = String(thrown);
    return text === "[object Object]" ? JSON.stringify(thrown).slice(0, MAX_TEXT) : text;
  } catch {
    return "an error that cannot be read";
  }
}
