import { storeError } from "../../errors.ts";
import type { Link } from "../connection/link.ts";
import { toUnavailableError } from "../connection/nats-error.ts";
import { type Batch, CALLS_HEADER, HOLDER_HEADER, MAX_HEADER_BYTES, type BatchParts } from "./messages.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes of a message that are neither content nor our header. */
const AROUND = 1_024;

/**
 * What one holder writes into the log of its run. Each message says which one it follows, so a holder that was replaced,
 * and does not know, writes nothing: its successor began by writing.
 */
export class RunLog {
  readonly #link: Link;
  readonly #subject: string;
  readonly #parts: string;
  readonly #holder: string;
  #head: number;
  /** A write failed, and may have been kept all the same. */
  #unsure = false;

  constructor(link: Link, at: { subject: string; parts: string; holder: string; head: number }) {
    this.#link = link;
    this.#subject = at.subject;
    this.#parts = at.parts;
    this.#holder = at.holder;
    this.#head = at.head;
  }

  /**
   * Keeps a batch; answers its place in the stream. One at a time.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`; `undefined` is answered when somebody else has written: the run is theirs
   */
  async append(batch: Batch): Promise<number | undefined> {
    try {
      if (this.#unsure && !(await this.#catchUp())) return undefined;
      const message = await this.#messageOf(batch);
      // What is sent may be kept from here on, whatever is heard of it.
      this.#unsure = true;
      let seq = await this.#publish(message);
      if (seq === undefined) {
        // A write of before, which was given up, has come after all.
        if (!(await this.#catchUp())) return undefined;
        seq = await this.#publish(message);
      }
      if (seq === undefined) return undefined;
      this.#head = seq;
      this.#unsure = false;
      return seq;
    } catch (thrown) {
      throw toUnavailableError(thrown);
    }
  }

  async #publish({ body, summary }: Message): Promise<number | undefined> {
    const headers = this.#link.client.transport.headers();
    headers.set(HOLDER_HEADER, this.#holder);
    if (summary !== undefined) headers.set(CALLS_HEADER, summary);
    const ack = await this.#link.unlessConflict("The calls could not be kept", () =>
      this.#link.js.publish(this.#subject, body, { headers, expect: { lastSubjectSequence: this.#head } }),
    );
    return ack?.seq;
  }

  async #catchUp(): Promise<boolean> {
    const last = await this.#last();
    const known = this.#head;
    if (last === undefined ? known > 0 : last.seq < known) {
      this.#link.logger?.warn(
        `The NATS server (${this.#link.servers}) has lost calls it had said were kept: ${this.#subject}, ${last?.seq ?? 0} to ${known}.`,
      );
      if (last === undefined) this.#head = 0;
    }
    if (last === undefined) return true;
    if (last.holder !== this.#holder && last.seq !== known) return false;
    this.#head = last.seq;
    return true;
  }

  async #last(): Promise<{ seq: number; holder: string } | undefined> {
    const { jsm, names } = this.#link;
    const last = await this.#link.find("The calls could not be kept", () =>
      jsm.streams.getMessage(names.ledger, { last_by_subj: this.#subject }),
    );
    return last ? { seq: last.seq, holder: last.header.get(HOLDER_HEADER) } : undefined;
  }

  /** What is too long goes ahead in pieces, which mean nothing before the message that names them is there. */
  async #messageOf({ body, summary: all }: Batch): Promise<Message> {
    const most = (this.#link.nc.info?.max_payload ?? 1024 * 1024) - AROUND;
    if (most < 1_024) throw tooLong(`the server takes no message of more than ${most + AROUND} bytes`);
    const summary = all.length > Math.min(MAX_HEADER_BYTES, most / 4) ? undefined : all;
    if (body.length + (summary?.length ?? 0) <= most) return { body, summary };
    if (body.length > MOST_BYTES)
      throw tooLong(`they are ${body.length} bytes, and ${MOST_BYTES} is the most`);
    const parts: number[] = [];
    for (let from = 0; from < body.length; from += most) {
      const piece = body.subarray(from, from + most);
      const ack = await this.#link.ask("The calls could not be kept", () =>
        this.#link.js.publish(this.#parts, piece),
      );
      parts.push(ack.seq);
    }
    return { body: Buffer.from(JSON.stringify({ parts } satisfies BatchParts)), summary };
  }
}

interface Message extends Pick<Batch, "body"> {
  readonly summary: string | undefined;
}

function tooLong(why: string): Error {
  return storeError("LEDGER_UNAVAILABLE", `The calls could not be kept: ${why}.`);
}
