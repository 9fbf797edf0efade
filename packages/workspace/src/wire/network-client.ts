import { isIP } from "node:net";
import { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { parseFields, parseList, parseNumber, textField } from "./answer-checks.ts";
import type { RunnerChannel } from "./channel.ts";

export interface RunnerNetwork {
  lookup(host: string): Promise<{ address: string }[]>;
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
}

/** Limits one poll, whose answer may be empty. */
const WAIT_MS = 20_000;
const CONNECT_MS = 35_000;
const ROOM = 512 * 1024;
const MOST_ADDRESSES = 64;
/** Limits consecutive empty answers, which would keep this program busy. */
const MOST_EMPTY = 64;
const AT_ONCE_MS = 1_000;

export function createRunnerNetwork(channel: RunnerChannel): RunnerNetwork {
  return {
    async lookup(host) {
      const found = parseList(await channel.value("net.lookup", [host], { waitsMs: CONNECT_MS }), (one) =>
        textField(one, 64),
      );
      return found
        .filter((address) => isIP(address) !== 0)
        .slice(0, MOST_ADDRESSES)
        .map((address) => ({ address }));
    },
    async connect(address, port, signal) {
      const id = parseNumber(
        await channel.value("net.connect", [address, port], { waitsMs: CONNECT_MS, signal }),
      );
      return new RunnerStream(channel, id);
    },
  };
}

class RunnerStream extends Duplex {
  readonly #channel: RunnerChannel;
  readonly #id: number;

  constructor(channel: RunnerChannel, id: number) {
    super({ allowHalfOpen: true });
    this.#channel = channel;
    this.#id = id;
    // Readers and writers receive the error, but there may be none.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#readSome().catch((thrown: unknown) => this.destroy(asError(thrown)));
  }

  async #readSome(): Promise<void> {
    const patience = new Patience();
    while (!this.destroyed) {
      const { head, body } = await this.#channel.call("net.read", [this.#id, WAIT_MS], {
        waitsMs: WAIT_MS,
        room: ROOM,
      });
      if (body.length > 0) return void this.push(body);
      if (parseFields(head["value"])["ended"] === true) return void this.push(null);
      patience.check();
    }
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    callbackify(() => this.#writeAll(bytes))(done);
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    const patience = new Patience();
    for (let body = bytes; !this.destroyed; body = EMPTY) {
      const options = { waitsMs: WAIT_MS, body };
      if ((await this.#channel.value("net.write", [this.#id, WAIT_MS], options)) === true) return;
      patience.check();
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    callbackify(() => this.#say("net.end"))(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.#say("net.close");
    done(error);
  }

  async #say(op: string): Promise<void> {
    await this.#channel.value(op, [this.#id]).catch(() => {});
  }
}

const EMPTY = Buffer.alloc(0);

class Patience {
  #last = performance.now();
  #empty = 0;

  check(): void {
    const now = performance.now();
    this.#empty = now - this.#last < AT_ONCE_MS ? this.#empty + 1 : 0;
    this.#last = now;
    if (this.#empty > MOST_EMPTY) throw new Error("its runner sends only empty answers");
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
