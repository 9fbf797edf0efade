import type { Fence } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import type { Readable, Writable } from "node:stream";
import { RemoteClock } from "../fence/remote-clock.ts";
import { errorFromReply, NotSentError } from "./failures.ts";
import { type Frame, type FrameLimits, readFrames, writeFrame } from "./frames.ts";
import { type LivenessLimits, Heartbeat } from "./heartbeat.ts";
import type { Begin, Cancel, Hello, Part, Reply, Request } from "./protocol.ts";
import { PART_BYTES, PROTOCOL_VERSION } from "./protocol.ts";

export interface RunnerChannelOptions {
  input: Writable;
  output: Readable;
  onLost: (why: string) => void;
  onBusy?: (busy: boolean) => void;
  /** For a runner that commands may compromise: limits the time for an answer and the silence. An invalid frame ends the connection. */
  distrust?: LivenessLimits;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  body?: Uint8Array | undefined;
  background?: boolean;
  /** Added to `answerMs`. */
  waitsMs?: number;
  /** Bytes of the answer. Default: 1 MiB. */
  room?: number;
  /** The start and the timeout wait for it. A rejection cancels the call. */
  ready?: Promise<void> | undefined;
  fence?: Fence | undefined;
}

interface Waiting {
  resolve: (frame: Frame) => void;
  reject: (error: Error) => void;
  parts: Uint8Array[];
  size: number;
  room: number;
  restartClock: () => void;
  /** The request is incomplete, so it had no effect. */
  sending: boolean;
}

const DISTRUSTED: FrameLimits = { headBytes: 4 * 1024 * 1024, bodyBytes: 2 * PART_BYTES };
/** Limits the wait for the answer to a cancelled call. */
const CANCELLED_MS = 1_000;
const NO_CLOCK = { restart: () => {}, stop: () => {} };
const MAX_GIVEN_UP = 1_000;

/** Calls that are open at the end of the stream fail with `RUNNER_LOST`: they may have taken effect. */
export class RunnerChannel {
  readonly #options: RunnerChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #givenUp = new Set<number>();
  readonly #hello = Promise.withResolvers<Hello>();
  #greeted = false;
  #count = 0;
  #busy = 0;
  #lost: string | undefined;
  readonly #pulse: Heartbeat | undefined;
  readonly #clockThere = new RemoteClock();

  constructor(options: RunnerChannelOptions) {
    this.#options = options;
    this.#hello.promise.catch(() => {});
    const { input, output, distrust } = options;
    input.on("error", () => {});
    if (distrust !== undefined) {
      const ask = (): void => void this.value("info", [""], { background: true }).catch(() => {});
      this.#pulse = new Heartbeat(options, distrust.silentMs, ask, (why) => this.abandon(why));
    }
    readFrames(
      output,
      (frame) => this.#receive(frame),
      (broken) => this.#lose(broken?.message ?? "its stream ended"),
      distrust === undefined ? undefined : DISTRUSTED,
    );
  }

  get ready(): Promise<Hello> {
    return this.#hello.promise;
  }

  get lost(): string | undefined {
    return this.#lost;
  }

  get distrusts(): boolean {
    return this.#options.distrust !== undefined;
  }

  async value(op: string, args: unknown[], options: CallOptions = {}): Promise<unknown> {
    const { head } = await this.call(op, args, options);
    return head["value"];
  }

  call(op: string, args: unknown[], options: CallOptions = {}): Promise<Frame> {
    if (options.fence === undefined || !this.#clockThere.isStale) return this.#call(op, args, options);
    return this.value("clock", []).then((reading) => {
      this.#clockThere.update(reading);
      return this.#call(op, args, options);
    });
  }

  #call(op: string, args: unknown[], options: CallOptions): Promise<Frame> {
    if (this.#lost !== undefined) return Promise.reject(new RunnerError("RUNNER_UNAVAILABLE", this.#lost));
    const { signal, body, background = false, room = PART_BYTES, ready, fence } = options;
    try {
      fence?.check();
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    const until = () => this.#clockThere.until(fence);
    const n = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    let clock = ready === undefined ? this.#clock(n, op, options) : NO_CLOCK;
    const sending = body !== undefined && body.length > PART_BYTES;
    const restartClock = (): void => clock.restart();
    this.#waiting.set(n, { resolve, reject, parts: [], size: 0, room, restartClock, sending });
    let cancelled: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      const message: Cancel = { cancel: n };
      this.#send(message);
      const waiting = this.#waiting.get(n);
      if (waiting?.sending === true) {
        this.#waiting.delete(n);
        reject(new NotSentError());
      } else if (this.distrusts) {
        cancelled = setTimeout(() => this.#giveUp(n), CANCELLED_MS);
      }
    };
    if (!background && this.#busy++ === 0) this.#becomes(true);
    const request = (): Request => ({ n, op, args, ...until() });
    if (sending) void this.#sendInParts(() => ({ ...request(), length: body.length }), body, restartClock);
    else this.#send(request(), body);
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel);
    const begin = (): void => {
      if (!this.#waiting.has(n)) return;
      clock = this.#clock(n, op, options);
      const message: Begin = { begin: n, ...until() };
      this.#send(message);
    };
    void ready?.then(begin, cancel);
    const answered = promise.finally(() => {
      clock.stop();
      clearTimeout(cancelled);
      signal?.removeEventListener("abort", cancel);
      if (!background && --this.#busy === 0) this.#becomes(false);
    });
    return ready === undefined ? answered : Promise.all([answered, ready]).then(([frame]) => frame);
  }

  #becomes(busy: boolean): void {
    this.#pulse?.watch(busy);
    this.#options.onBusy?.(busy);
  }

  abandon(why: string): void {
    this.#options.input.destroy();
    this.#options.output.destroy();
    this.#lose(why);
  }

  #clock(n: number, op: string, { waitsMs = 0, background }: CallOptions) {
    const { distrust } = this.#options;
    if (distrust === undefined || waitsMs === Infinity) return NO_CLOCK;
    const within = distrust.answerMs + waitsMs;
    const late = (): void => {
      if (this.#waiting.has(n)) this.abandon(`it has not answered ${JSON.stringify(op)} within ${within} ms`);
    };
    // Waits for received data, because this program may have been busy.
    const timer = setTimeout(() => void setImmediate(late), within);
    if (background === true) timer.unref();
    return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
  }

  async #sendInParts(request: () => Request, body: Uint8Array, progress: () => void): Promise<void> {
    const { n } = request();
    const part: Part = { n, part: true };
    let rest = body;
    for (; rest.length > PART_BYTES; rest = rest.subarray(PART_BYTES)) {
      if (!this.#waiting.has(n)) return;
      if (!this.#send(part, rest.subarray(0, PART_BYTES))) await this.#drained();
      progress();
    }
    const waiting = this.#waiting.get(n);
    if (waiting === undefined) return;
    waiting.sending = false;
    this.#send(request(), rest);
  }

  #send(head: object, body?: Uint8Array): boolean {
    return writeFrame(this.#options.input, head, body === undefined ? [] : [body]);
  }

  #drained(): Promise<void> {
    const { input } = this.#options;
    return new Promise((resolve) => {
      const done = (): void => {
        input.off("drain", done);
        input.off("close", done);
        resolve();
      };
      if (input.destroyed || this.#lost !== undefined) return resolve();
      input.once("drain", done);
      input.once("close", done);
    });
  }

  #receive(frame: Frame): void {
    if (this.#lost !== undefined) return;
    if ("hello" in frame.head) return this.#greet(frame.head as unknown as Hello);
    const { n } = frame.head as unknown as Reply | Part;
    const waiting = this.#waiting.get(n);
    if (waiting === undefined) return this.#late(frame, n);
    waiting.size += frame.body.length;
    if (waiting.size > waiting.room) return this.abandon("it sent more than requested");
    if ("part" in frame.head) {
      // Smaller parts could delay the end without limit.
      if (frame.body.length === PART_BYTES) waiting.restartClock();
      if (frame.body.length > 0) waiting.parts.push(frame.body);
      return;
    }
    this.#waiting.delete(n);
    const { error } = frame.head as unknown as Reply;
    if (error !== undefined && error !== null) return waiting.reject(errorFromReply(error));
    const { parts } = waiting;
    waiting.resolve(parts.length === 0 ? frame : { ...frame, body: Buffer.concat([...parts, frame.body]) });
  }

  #late(frame: Frame, n: number): void {
    if (this.#givenUp.has(n)) {
      if (!("part" in frame.head)) this.#givenUp.delete(n);
    } else if (this.distrusts) {
      this.abandon("it answered an unknown call");
    }
  }

  #giveUp(n: number): void {
    const waiting = this.#waiting.get(n);
    if (waiting === undefined) return;
    this.#waiting.delete(n);
    this.#givenUp.add(n);
    waiting.reject(
      new RunnerError("RUNNER_LOST", "it was cancelled, and the runner did not report its state"),
    );
    if (this.#givenUp.size > MAX_GIVEN_UP) this.abandon("it does not answer");
  }

  #greet(hello: Hello): void {
    if (hello.hello === PROTOCOL_VERSION && !this.#greeted) {
      this.#greeted = true;
      this.#clockThere.update(hello.clock);
      this.#hello.resolve(hello);
      return;
    }
    this.abandon(
      this.#greeted
        ? "it restarted"
        : `it speaks version ${String(hello.hello)} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  }

  #lose(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    const error = new RunnerError("RUNNER_LOST", why);
    this.#hello.reject(error);
    // First, so that callers of failed calls receive the reason.
    this.#options.onLost(why);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
