import { untilAborted, startTimer, type Timer } from "@haft/utils";
import { HaftError } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import type { Call } from "../call.ts";
import { type FetchInit, fetchInvalidError } from "./outgoing-request.ts";

export interface RequestLimits {
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

const MIB = 1024 * 1024;
const BYTES = { usual: 10 * MIB, most: 256 * MIB };
const TIME = { usual: 60_000, most: 10 * 60_000 };
const MAX_CONCURRENT = 32;

export function readRequestLimits({
  maxBytes = BYTES.usual,
  timeoutMs = TIME.usual,
  signal,
}: FetchInit): RequestLimits {
  const check = (name: string, value: number, most: number): void => {
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw fetchInvalidError(`${name} is a whole number from 1 to ${most}, not ${String(value)}.`);
  };
  check("maxBytes", maxBytes, BYTES.most);
  check("timeoutMs", timeoutMs, TIME.most);
  return { maxBytes, timeoutMs, signal: signal ?? undefined };
}

const open = new WeakMap<Call, number>();

export class RequestLease {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly #call: Call;
  readonly #late = new AbortController();
  readonly #timer: Timer;
  #ended = false;

  constructor(call: Call, { maxBytes, timeoutMs, signal }: RequestLimits) {
    const before = open.get(call) ?? 0;
    if (before >= MAX_CONCURRENT)
      throw coreError("FETCH_INVALID", `${MAX_CONCURRENT} requests of this call are in progress.`, {
        fix: "Wait for some of them, and read or cancel their bodies, before the next one.",
      });
    open.set(call, before + 1);
    this.#call = call;
    this.maxBytes = maxBytes;
    const ofCall = (call.connections ??= new AbortController()).signal;
    this.signal = AbortSignal.any([this.#late.signal, ofCall, call.signal, ...(signal ? [signal] : [])]);
    this.#timer = startTimer(
      () =>
        this.#late.abort(
          coreError("FETCH_FAILED", `It took longer than ${timeoutMs} ms.`, {
            fix: "Try again, or set a higher `timeoutMs`, at most 10 minutes.",
          }),
        ),
      timeoutMs,
    );
    this.signal.addEventListener("abort", () => this.end(), { once: true });
  }

  /** Rejects at the end of the lease: DNS lookups, for example, ignore signals. */
  withTimeout<T>(promise: Promise<T>): Promise<T> {
    return untilAborted(promise, this.signal);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer.stop();
    open.set(this.#call, (open.get(this.#call) ?? 1) - 1);
  }

  getAbortReason(thrown: unknown): unknown {
    if (!this.signal.aborted || (HaftError.is(thrown) && thrown.category === "policy")) return thrown;
    const { reason } = this.signal as { reason: unknown };
    return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
  }
}
