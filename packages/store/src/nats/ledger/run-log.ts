import { storeError } from "../../errors.ts";
import type { Link } from "../connection/link.ts";
import { toUnavailableError } from "../connection/nats-error.ts";
import { type Batch, CALLS_HEADER, HOLDER_HEADER, MAX_HEADER_BYTES, type BatchParts } from "./messages.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes around content and this header. */
const AROUND = 1_024;

/**
 * Appends a holder's batches to its run. Each message names its predecessor: after a successor's first write, a replaced holder cannot
 * write.
 */
export class RunLog {
  readonly #link: Link;
  readonly #subject: string;
  readonly #parts: string;
  readonly #holder: string;
  #head: number;
  /** A failed write may have succeeded on the server. */
  #unsure = false;

  constructor(link: Link, at: { subject: string; parts: string; holder: string; head: number }) {
    this.#link = link;
    this.#subject = at.subject;
    this.#parts = at.parts;
    this.#holder = at.holder;
    this.#head = at.head;
  }

  /**
   * Stores a batch and returns its stream sequence. Not concurrent.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`; returns `undefined` if another host took the run
   */
  async append(batch: Batch): Promise<number | undefined> {
    try {
      if (this.#unsure && !(await this.#catchUp())) return undefined;
      const message = await this.#messageOf(batch);
      // The message may be stored without an answer.
      this.#unsure = true;
      let seq = await this.#publish(message);
      if (seq === undefined) {
        // An earlier write arrived late.
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
    const ack = await this.#link.unlessConflict("The calls could not be stored", () =>
      this.#link.js.publish(this.#subject, body, { headers, expect: { lastSubjectSequence: this.#head } }),
    );
    return ack?.seq;
  }

  async #catchUp(): Promise<boolean> {
    const last = await this.#last();
    const known = this.#head;
    if (last === undefined ? known > 0 : last.seq < known) {
      this.#link.logger?.warn(
        `The NATS server (${this.#link.servers}) has lost calls that it had confirmed: ${this.#subject}, ${last?.seq ?? 0} to ${known}.`,
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
    const last = await this.#link.find("The calls could not be stored", () =>
      jsm.streams.getMessage(names.ledger, { last_by_subj: this.#subject }),
    );
    return last ? { seq: last.seq, holder: last.header.get(HOLDER_HEADER) } : undefined;
  }

  /** Sends an oversized batch in pieces, which count only after the message that names them. */
  async #messageOf({ body, summary: all }: Batch): Promise<Message> {
    const most = (this.#link.nc.info?.max_payload ?? 1024 * 1024) - AROUND;
    if (most < 1_024) throw tooLong(`the server accepts no message of more than ${most + AROUND} bytes`);
    const summary = all.length > Math.min(MAX_HEADER_BYTES, most / 4) ? undefined : all;
    if (body.length + (summary?.length ?? 0) <= most) return { body, summary };
    if (body.length > MOST_BYTES) throw tooLong(`they have ${body.length} bytes; the limit is ${MOST_BYTES}`);
    const parts: number[] = [];
    for (let from = 0; from < body.length; from += most) {
      const piece = body.subarray(from, from + most);
      const ack = await this.#link.ask("The calls could not be stored", () =>
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
  return storeError("LEDGER_UNAVAILABLE", `The calls could not be stored: ${why}.`);
}
