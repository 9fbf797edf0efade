import type { Readable, Writable } from "node:stream";
import type {
  FileIdentity,
  OutputChunk,
  Processes,
  ProcessInfo,
  ProcessOutput,
  ProcessSpec,
  TerminalSize,
} from "@haft/core";
import type { Frame } from "./frames.ts";
import { readFrames, writeFrame } from "./frames.ts";
import { RunnerError } from "./runner-error.ts";
import type { OutputHead, Reply } from "./runner-protocol.ts";
import { PROTOCOL_VERSION } from "./runner-protocol.ts";

interface Waiting {
  resolve: (frame: Frame) => void;
  reject: (error: Error) => void;
}

/** What else a call may have. */
interface Call {
  signal?: AbortSignal | undefined;
  body?: Uint8Array;
  /** It does not keep the program running: it waits for something that may never come. */
  background?: boolean;
}

export interface RunnerClientOptions {
  input: Writable;
  output: Readable;
  /** The runner is gone: everything that was under way has failed. */
  onLost: (why: string) => void;
  /** Called when calls start to be under way, and when none is any more. */
  onBusy: (busy: boolean) => void;
}

/**
 * The port over a stream to a runner, wherever that is. Specifications are sent as they are. What was under way when
 * the stream ended fails with `RUNNER_LOST`, because nobody can tell how far it came.
 */
export class RunnerClient implements Processes {
  readonly #options: RunnerClientOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #hello = Promise.withResolvers<void>();
  #count = 0;
  #busy = 0;
  #lost: string | undefined;

  constructor(options: RunnerClientOptions) {
    this.#options = options;
    this.#hello.promise.catch(() => {});
    options.input.on("error", () => {});
    readFrames(
      options.output,
      (frame) => this.#receive(frame),
      (broken) => this.#lose(broken?.message ?? "its stream ended"),
    );
  }

  /** Resolves once the runner speaks, rejects when it is gone instead. */
  get ready(): Promise<void> {
    return this.#hello.promise;
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  start(
    callerId: string,
    spec: ProcessSpec,
    { signal, ...options }: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessInfo> {
    return this.#value("start", [callerId, spec, options], { signal });
  }

  async identify(...args: Parameters<Processes["identify"]>): ReturnType<Processes["identify"]> {
    type Sent = { cwd: FileIdentity; files: (FileIdentity | null)[]; environment: string };
    const { files, ...rest } = await this.#value<Sent>("identify", args);
    // What is not there arrives as `null`.
    return { ...rest, files: files.map((one) => one ?? undefined) };
  }

  info(id: string): Promise<ProcessInfo | undefined> {
    return this.#value("info", [id]);
  }

  list(): Promise<ProcessInfo[]> {
    return this.#value("list", []);
  }

  async read(
    id: string,
    from: number,
    { signal, ...options }: { max?: number; waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessOutput> {
    const { head, body } = await this.#call("read", [id, from, options], { signal });
    const output = (head as unknown as Reply).value as OutputHead;
    let at = 0;
    const chunks = output.chunks.map(({ stream, offset, length }): OutputChunk => {
      at += length;
      return { stream, offset, bytes: body.subarray(at - length, at) };
    });
    return { ...output, chunks };
  }

  write(id: string, bytes: Uint8Array, options: { waitMs?: number } = {}): Promise<{ queued: number }> {
    return this.#value("write", [id, options], { body: bytes });
  }

  closeStdin(id: string): Promise<void> {
    return this.#value("closeStdin", [id]);
  }

  signal(id: string, signal: string, options: { tree?: boolean } = {}): Promise<{ signalled: number }> {
    return this.#value("signal", [id, signal, options]);
  }

  kill(id: string, options: { graceMs?: number } = {}): Promise<ProcessInfo> {
    return this.#value("kill", [id, options]);
  }

  resize(id: string, size: TerminalSize): Promise<void> {
    return this.#value("resize", [id, size]);
  }

  wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ProcessInfo> {
    const { signal, ...rest } = options;
    return this.#value("wait", [id, rest], { signal });
  }

  /** Like {@link wait}, for as long as it takes, without keeping the program running. */
  ended(id: string): Promise<ProcessInfo> {
    return this.#value("wait", [id, {}], { background: true });
  }

  release(id: string): Promise<void> {
    return this.#value("release", [id]);
  }

  /** Ends everything it runs. The runner itself ends when its input does. */
  async close(graceMs: number): Promise<void> {
    await this.#value("close", [graceMs]);
  }

  async #value<T>(op: string, args: unknown[], call: Call = {}): Promise<T> {
    const { head } = await this.#call(op, args, call);
    return (head as unknown as Reply).value as T;
  }

  #call(op: string, args: unknown[], { signal, body, background = false }: Call): Promise<Frame> {
    if (this.#lost !== undefined) return Promise.reject(new RunnerError("RUNNER_UNAVAILABLE", this.#lost));
    const n = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#waiting.set(n, { resolve, reject });
    const cancel = (): void => writeFrame(this.#options.input, { cancel: n });
    if (!background && this.#busy++ === 0) this.#options.onBusy(true);
    writeFrame(this.#options.input, { n, op, args }, body === undefined ? [] : [body]);
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel);
    return promise.finally(() => {
      signal?.removeEventListener("abort", cancel);
      if (!background && --this.#busy === 0) this.#options.onBusy(false);
    });
  }

  #receive(frame: Frame): void {
    if ("hello" in frame.head) {
      if (frame.head["hello"] === PROTOCOL_VERSION) this.#hello.resolve();
      else
        this.#lose(
          `it speaks version ${String(frame.head["hello"])} of the protocol, not ${PROTOCOL_VERSION}`,
        );
      return;
    }
    const { n, error } = frame.head as unknown as Reply;
    const waiting = this.#waiting.get(n);
    this.#waiting.delete(n);
    if (error === undefined) waiting?.resolve(frame);
    else
      waiting?.reject(
        error.code === undefined ? new Error(error.why) : new RunnerError(error.code, error.why),
      );
  }

  #lose(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    const error = new RunnerError("RUNNER_LOST", why);
    this.#hello.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#options.onLost(why);
  }
}
