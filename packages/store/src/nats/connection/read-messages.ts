import { invalidOptions } from "@haft/core";
import { storeError } from "../../errors.ts";
import { ANSWER_MS, type Link } from "./link.ts";

const BATCH = 1_000;
/** Milliseconds until the server drops an inactive reader. */
const READER_MS = 30_000;

export interface StoredMessage {
  readonly subject: string;
  readonly seq: number;
  /** Time of receipt, in epoch milliseconds of the server. */
  readonly at: number;
  readonly data: Uint8Array;
  readonly header: (name: string) => string | undefined;
}

interface ReadOptions {
  readonly last?: boolean;
  readonly headersOnly?: boolean;
  readonly atMost?: number;
}

/**
 * Reads all current messages of a filter, oldest first, and the server clock.
 *
 * @throws HaftError `NATS_FAILED`, `INVALID_OPTIONS`
 */
export async function readMessages(
  link: Link,
  stream: string,
  filter: string,
  options: ReadOptions = {},
): Promise<StoredMessage[]> {
  const { DeliverPolicy, AckPolicy } = link.client.jetstream;
  return await link.ask(`Messages could not be read (${filter})`, async () => {
    const sentAt = link.clock.ticks();
    const { name, created, num_pending } = await link.jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: options.last === true ? DeliverPolicy.LastPerSubject : DeliverPolicy.All,
      filter_subject: filter,
      headers_only: options.headersOnly ?? false,
      inactive_threshold: READER_MS * 1e6,
      mem_storage: true,
    });
    link.clock.sync(created, sentAt);
    try {
      if (num_pending > (options.atMost ?? Number.POSITIVE_INFINITY))
        throw tooWide(num_pending, options.atMost);
      return await take(link, stream, { name, count: num_pending, isLast: options.last ?? false });
    } finally {
      await link.jsm.consumers.delete(stream, name).catch(() => {});
    }
  });
}

async function take(
  link: Link,
  stream: string,
  { name, count, isLast }: { name: string; count: number; isLast: boolean },
): Promise<StoredMessage[]> {
  // A rewritten subject arrives again.
  const found = new Map<string | number, StoredMessage>();
  if (count === 0) return [];
  const consumer = await link.js.consumers.get(stream, name);
  for (;;) {
    let came = 0;
    const wanted = Math.min(BATCH, count - found.size);
    const messages = await consumer.fetch({ max_messages: wanted, expires: ANSWER_MS });
    for await (const { subject, seq, data, headers, info } of messages) {
      came++;
      const at = info.timestampNanos / 1e6;
      const header = (key: string) => headers?.get(key) || undefined;
      const key = isLast ? subject : seq;
      found.delete(key);
      found.set(key, { subject, seq, at, data, header });
      if (info.pending === 0 || found.size === count) return [...found.values()];
    }
    if (came > 0) continue;
    if ((await consumer.info()).num_pending === 0) return [...found.values()];
    const message = `${count - found.size} of ${count} messages of the stream ${stream} did not arrive from the NATS server (${link.servers}) in time.`;
    throw storeError("NATS_FAILED", message);
  }
}

function tooWide(count: number, atMost = 0): Error {
  const message = `This query would read ${count} messages of the NATS server; the limit is ${atMost}.`;
  return invalidOptions(message, "Restrict the query to a session or a run.");
}
