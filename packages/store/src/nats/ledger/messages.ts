import { type CallRecord, toPastCall, type PastCall } from "@haft/core/internal";

/** A message is an atomic batch of calls. */
export const HOLDER_HEADER = "Haft-Holder";
export const CALLS_HEADER = "Haft-Calls";
/** The server limits headers to 64 kB. */
export const MAX_HEADER_BYTES = 48_000;

export interface BatchParts {
  readonly parts: readonly number[];
}

export interface Batch {
  readonly body: Uint8Array;
  readonly summary: string;
}

export function toBatch(calls: readonly CallRecord[]): Batch {
  const body = Buffer.from(JSON.stringify(calls));
  // Headers are single-line ASCII.
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
