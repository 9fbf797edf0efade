import type { Fence } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { Heartbeat, RemoteClock } from "@haft/workspace/internal/wire";
import type { Duplex } from "node:stream";

export interface ShellAnswer {
  ok: boolean;
  fields: readonly string[];
  body: Buffer;
}

export interface ShellChannelOptions {
  onLost: (why: string) => void;
  /** The shell works sequentially, so the time starts when the request is first in line. */
  answerMs: number;
  /** Applies to cheap requests; a silent shell counts as halted. */
  silentMs: number;
}

const QUICK = new Set(["ping", "state", "clock"]);

interface Waiting {
  n: number;
  quick: boolean;
  resolve: (answer: ShellAnswer) => void;
  reject: (error: Error) => void;
}

const NOTHING = Buffer.alloc(0);
const HUNDREDTH_MS = 10;
const MAX_LINE = 8_192;
const MAX_BODY = 32 * 1024 * 1024;
/** The shell is blocked while it receives them. */
const SHELL_PART_BYTES = 256 * 1024;

export class ShellChannel {
  readonly #stream: Duplex;
  readonly #options: ShellChannelOptions;
  /** Oldest first; the first is the shell's greeting. */
  readonly #waiting: Waiting[] = [];
  readonly hello: Promise<ShellAnswer>;
  readonly #pulse: Heartbeat;
  readonly #clock = new RemoteClock();
  #count = 0;
  #uploads = 0;
  #timer: NodeJS.Timeout | undefined;
  #lost: string | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #partial: { n: number; ok: boolean; fields: string[]; length: number } | undefined;

  constructor(stream: Duplex, options: ShellChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    const streams = { input: stream, output: stream };
    // Watches only cheap requests, because a busy shell cannot answer.
    this.#pulse = new Heartbeat(
      streams,
      options.silentMs,
      () => {},
      (why) => this.abandon(why),
    );
    this.hello = this.#wait(0, false);
    this.hello.catch(() => {});
    stream.on("error", ({ message }) => this.abandon(message));
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    stream.once("end", () => this.abandon("its stream ended"));
    stream.once("close", () => this.abandon("its stream ended"));
  }

  call(op: string, ...args: readonly string[]): Promise<ShellAnswer> {
    return this.#send(op, args, undefined);
  }

  /** The shell compares the deadline with its clock before it begins. */
  async callWithFence(
    fence: Fence | undefined,
    op: string,
    ...args: readonly string[]
  ): Promise<ShellAnswer> {
    if (fence === undefined) return this.call(op, ...args);
    if (this.#clock.isStale) this.#clock.update(Number((await this.call("clock")).fields[0]) * HUNDREDTH_MS);
    fence.check();
    if (fence.endsAt === Infinity) return this.call(op, ...args);
    const end = Math.floor(Math.max(0, this.#clock.at(fence.endsAt)) / HUNDREDTH_MS);
    return this.call(`${op}@${end}`, ...args);
  }

  async upload(bytes: Uint8Array): Promise<string>;
  async upload(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<string | undefined>;
  async upload(bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    const name = String(++this.#uploads);
    const parts: Promise<ShellAnswer>[] = [];
    for (let at = 0; at < bytes.length; at += SHELL_PART_BYTES) {
      const part = bytes.subarray(at, at + SHELL_PART_BYTES);
      const sent = this.#send("put", [name], part);
      // Awaited below, in order.
      sent.catch(() => {});
      parts.push(sent);
      if (parts.length >= 8) await parts.shift();
      if (signal?.aborted === true) break;
    }
    await Promise.all(parts);
    if (signal?.aborted === true) {
      await this.#send("drop", [name], undefined);
      return undefined;
    }
    return name;
  }

  abandon(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    clearTimeout(this.#timer);
    this.#pulse.watch(false);
    // First, so that callers of failed requests can get the reason.
    this.#options.onLost(why);
    for (const { reject } of this.#waiting.splice(0)) reject(new RunnerError("RUNNER_LOST", why));
    this.#stream.destroy();
  }

  #send(op: string, args: readonly string[], body: Uint8Array | undefined): Promise<ShellAnswer> {
    if (this.#lost !== undefined) return Promise.reject(new RunnerError("RUNNER_UNAVAILABLE", this.#lost));
    const quick = QUICK.has(op);
    // Before a request without a time limit, checks that the shell is alive.
    if (!quick && this.#waiting.length === 0) this.#send("ping", [], undefined).catch(() => {});
    const n = ++this.#count;
    const answer = this.#wait(n, quick);
    this.#stream.write(`${[n, op, body?.length ?? 0, ...args].join(" ")}\n`);
    if (body !== undefined) this.#stream.write(body);
    return answer;
  }

  #wait(n: number, quick: boolean): Promise<ShellAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ShellAnswer>();
    this.#waiting.push({ n, quick, resolve, reject });
    if (this.#waiting.length === 1) this.#startTimer();
    return promise;
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    this.#pulse.watch(first?.quick === true);
    if (first === undefined) return;
    const { answerMs } = this.#options;
    this.#timer = setTimeout(() => this.abandon(`it did not answer for ${answerMs} ms`), answerMs);
  }

  #receive(bytes: Buffer): void {
    if (this.#lost !== undefined) return;
    if (bytes.length > 0) {
      this.#chunks.push(bytes);
      this.#size += bytes.length;
    }
    try {
      // Takes the next answer in a new turn, so that a caller can first react to this one.
      if (this.#take()) setImmediate(() => this.#receive(NOTHING));
    } catch (thrown) {
      this.abandon(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #take(): boolean {
    if (this.#partial === undefined) {
      const all = this.#joined();
      const end = all.indexOf(10);
      if (end === -1 && all.length <= MAX_LINE) return false;
      if (end === -1 || end > MAX_LINE) throw new Error("it violates the protocol");
      this.#partial = parsed(all.toString("latin1", 0, end));
      this.#keep(all.subarray(end + 1));
    }
    const { n, ok, fields, length } = this.#partial;
    if (this.#size < length) return false;
    const all = this.#joined();
    const body = all.subarray(0, length);
    this.#keep(all.subarray(length));
    this.#partial = undefined;
    const waiting = this.#waiting.shift();
    if (waiting?.n !== n) throw new Error("it answered another request");
    this.#startTimer();
    waiting.resolve({ ok, fields, body });
    return this.#size > 0;
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #keep(rest: Buffer): void {
    this.#chunks = [rest];
    this.#size = rest.length;
  }
}

function parsed(line: string): { n: number; ok: boolean; fields: string[]; length: number } {
  const words = line.split(" ").filter((one) => one !== "");
  const [n, status] = words;
  const length = Number(words.at(-1));
  if (!/^\d+$/.test(n ?? "") || (status !== "ok" && status !== "no") || !Number.isInteger(length)) {
    throw new Error("it violates the protocol");
  }
  if (length < 0 || length > MAX_BODY) throw new Error(`it announced ${length} bytes`);
  return { n: Number(n), ok: status === "ok", fields: words.slice(2, -1), length };
}

/** Encodes text as one word: all other than plain characters as octal escapes. */
export function encodeShellWord(text: string): string {
  let out = "=";
  for (const byte of Buffer.from(text)) {
    const plain =
      (byte >= 48 && byte <= 57) ||
      (byte >= 65 && byte <= 90) ||
      (byte >= 97 && byte <= 122) ||
      byte === 45 ||
      byte === 46 ||
      byte === 47 ||
      byte === 95;
    out += plain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, "0")}`;
  }
  return out;
}
