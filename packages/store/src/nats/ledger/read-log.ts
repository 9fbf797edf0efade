import { type CallRecord, toPastCall, type PastCall } from "@haft/core/internal";
import type { Link } from "../connection/link.ts";
import { unreadableRecordError } from "../connection/nats-error.ts";
import { type StoredMessage, readMessages } from "../connection/read-messages.ts";
import { CALLS_HEADER, type LoggedCall, type BatchParts } from "./messages.ts";

interface Log {
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, LoggedCall>>;
  readonly head: number;
}

/**
 * Reads the states of calls; arguments and results only on request.
 *
 * @throws HaftError `NATS_FAILED`, `INVALID_OPTIONS`
 */
export async function readLog(
  link: Link,
  filter: string,
  { whole = false, atMost }: { readonly whole?: boolean; readonly atMost?: number } = {},
): Promise<Log> {
  const messages = await readMessages(link, link.names.ledger, filter, {
    headersOnly: !whole,
    ...(atMost !== undefined && { atMost }),
  });
  const calls = new Map<string, Map<string, LoggedCall>>();
  for (const message of messages) {
    const { subject, seq } = message;
    let run = calls.get(subject);
    if (run === undefined) calls.set(subject, (run = new Map()));
    for (const past of whole ? await callsOf(link, seq, message.data) : await summaries(link, message))
      run.set(past.toolCallId, { past, seq });
  }
  return { calls, head: messages.at(-1)?.seq ?? 0 };
}

async function summaries(link: Link, { header, seq }: StoredMessage): Promise<readonly PastCall[]> {
  const text = header(CALLS_HEADER);
  if (text !== undefined) return callsIn(link, seq, text);
  return (await readBatch(link, seq)).map(toPastCall);
}

async function readBatch(link: Link, seq: number): Promise<readonly CallRecord[]> {
  const message = await messageAt(link, seq);
  return message === undefined ? [] : callsOf(link, seq, message);
}

async function callsOf(link: Link, seq: number, message: Uint8Array): Promise<readonly CallRecord[]> {
  const text = new TextDecoder().decode(message);
  const { parts } = partsIn(text);
  if (parts === undefined) return callsIn(link, seq, text);
  const pieces = await Promise.all(parts.map((part) => messageAt(link, part)));
  if (pieces.includes(undefined)) return [];
  return callsIn(link, seq, Buffer.concat(pieces as Uint8Array[]).toString("utf8"));
}

function partsIn(text: string): { parts?: readonly number[] } {
  const { parts } = (text.startsWith("{") ? (parsed(text) ?? {}) : {}) as Partial<BatchParts>;
  return Array.isArray(parts) ? { parts } : {};
}

function callsIn(link: Link, seq: number, text: string): readonly CallRecord[] {
  const found = parsed(text);
  if (Array.isArray(found) && found.every(isCall)) return found as CallRecord[];
  throw unreadableRecordError(`the message ${seq} of the stream ${link.names.ledger}`);
}

function isCall(value: unknown): boolean {
  const { toolCallId, seq } = (value ?? {}) as { toolCallId?: unknown; seq?: unknown };
  return typeof toolCallId === "string" && typeof seq === "number";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns full records in this order; `undefined` for removed records. */
export async function readRecords(
  link: Link,
  found: readonly LoggedCall[],
): Promise<(CallRecord | undefined)[]> {
  const batches = new Map<number, Promise<readonly CallRecord[]>>();
  for (const { seq } of found) if (!batches.has(seq)) batches.set(seq, readBatch(link, seq));
  await Promise.all(batches.values());
  return await Promise.all(
    found.map(async ({ past, seq }) =>
      (await batches.get(seq))?.find(({ toolCallId }) => toolCallId === past.toolCallId),
    ),
  );
}

async function messageAt(link: Link, seq: number): Promise<Uint8Array | undefined> {
  const message = await link.find("A call could not be read", () =>
    link.jsm.streams.getMessage(link.names.ledger, { seq }),
  );
  return message?.data;
}
