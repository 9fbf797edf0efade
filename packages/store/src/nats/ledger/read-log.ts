import { type CallRecord, pastOf, type PastCall } from "@haft/core/internal";
import type { Link } from "../connection/link.ts";
import { isMissing } from "../connection/problems.ts";
import { type Kept, readAll } from "../connection/read-all.ts";
import { CALLS, type Found, type Pieces } from "./messages.ts";

/** The log of a run, or of several. */
export interface Log {
  /** By subject, then by the id of the call: how each stands now. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, Found>>;
  /** The place of the last message; 0 when there is none. */
  readonly head: number;
}

/**
 * Reads how calls stand, without their arguments and results unless all is asked for.
 *
 * @throws HaftError `NATS_FAILED`, `QUERY_TOO_WIDE`
 */
export async function readLog(
  link: Link,
  filter: string,
  { whole = false, atMost }: { readonly whole?: boolean; readonly atMost?: number } = {},
): Promise<Log> {
  const messages = await readAll(link, link.names.ledger, filter, {
    headersOnly: !whole,
    ...(atMost !== undefined && { atMost }),
  });
  const calls = new Map<string, Map<string, Found>>();
  for (const message of messages) {
    const { subject, seq } = message;
    let run = calls.get(subject);
    if (run === undefined) calls.set(subject, (run = new Map()));
    for (const past of whole ? await callsOf(link, message.data) : await summaries(link, message))
      run.set(past.toolCallId, { past, seq });
  }
  return { calls, head: messages.at(-1)?.seq ?? 0 };
}

async function summaries(link: Link, { header, seq }: Kept): Promise<readonly PastCall[]> {
  const text = header(CALLS);
  if (text !== undefined) return JSON.parse(text) as PastCall[];
  return (await readBatch(link, seq)).map(pastOf);
}

/** The records of one message; none when it was removed meanwhile. */
async function readBatch(link: Link, seq: number): Promise<readonly CallRecord[]> {
  const message = await messageAt(link, seq);
  return message === undefined ? [] : callsOf(link, message);
}

async function callsOf(link: Link, message: Uint8Array): Promise<readonly CallRecord[]> {
  const found = JSON.parse(new TextDecoder().decode(message)) as readonly CallRecord[] | Pieces;
  if (!("parts" in found)) return found;
  const pieces = await Promise.all(found.parts.map((part) => messageAt(link, part)));
  if (pieces.includes(undefined)) return [];
  return JSON.parse(Buffer.concat(pieces as Uint8Array[]).toString("utf8")) as readonly CallRecord[];
}

/** The whole records of calls, in the order given; `undefined` where one was removed meanwhile. */
export async function readRecords(link: Link, found: readonly Found[]): Promise<(CallRecord | undefined)[]> {
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
  try {
    const message = await link.ask("A call could not be read", () =>
      link.jsm.streams.getMessage(link.names.ledger, { seq }),
    );
    return message?.data;
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}
