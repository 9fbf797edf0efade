import { type CallRecord, toPastCall, type PastCall } from "@haft/core/internal";

/** Headers of a message of a run's log. Each message is one batch: all of its calls are kept, or none. */
export const HOLDER_HEADER = "Haft-Holder";
export const CALLS_HEADER = "Haft-Calls";
/** Bytes of the header of a message: a server takes 64 kB of all of them. */
export const MAX_HEADER_BYTES = 48_000;

export interface BatchParts {
  readonly parts: readonly number[];
}

export interface Batch {
  readonly body: Uint8Array;
  readonly summary: string;
}

/** As they are now: what becomes of them later is another batch. */
export function toBatch(calls: readonly CallRecord[]): Batch {
  const body = Buffer.from(JSON.stringify(calls));
  // Headers are one line; JSON has no others outside of this.
  const summary = JSON.stringify(calls.map(toPastCall)).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { body, summary };
}

export interface LoggedCall {
  readonly past: PastCall;
  readonly seq: number;
}
