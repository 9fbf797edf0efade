import type {
  FileIdentity,
  OutputChunk,
  ProcessInfo,
  ProcessOutput,
  ProcessSpec,
  TerminalSize,
} from "@haft/core";
import { messageOf } from "@haft/core";
import { RunnerError } from "../runner-error.ts";
import type { CallOptions, RunnerChannel } from "./channel.ts";
import type { Identified, OutputHead, RunnerProcesses } from "./protocol.ts";

/** What a runner takes for a write to standard input and for a kill, when it is not told otherwise. */
const WRITE_WAIT_MS = 5_000;
const KILL_GRACE_MS = 5_000;
/** Where every answer has to come in a time, long waiting is done in pieces. */
const WAIT_PIECE_MS = 60_000;
/** More than any bytes of output in one answer. */
const OUTPUT_ROOM = 2 * 1024 * 1024;

/** Makes sure that an answer is what it should be. Throws otherwise, and then the runner is given up. */
export interface AnswerChecks {
  info(value: unknown): ProcessInfo;
  output(value: unknown, bytes: number): OutputHead;
  identity(value: unknown): { cwd: FileIdentity; files: (FileIdentity | null)[] };
}

/** Answers of a runner beside the host, which is this very program. */
const TRUSTED = {
  info: (value: unknown) => value,
  output: (value: unknown) => value,
  identity: (value: unknown) => value,
} as AnswerChecks;

/**
 * The port over a channel to a runner, wherever that is. Specifications are sent as they are. What was under way when
 * the stream ended fails with `RUNNER_LOST`.
 */
export class RunnerClient implements RunnerProcesses {
  readonly #channel: RunnerChannel;
  readonly #checks: AnswerChecks;

  constructor(channel: RunnerChannel, checks: AnswerChecks = TRUSTED) {
    this.#channel = channel;
    this.#checks = checks;
  }

  async start(
    callerId: string,
    spec: ProcessSpec,
    { signal, ...options }: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessInfo> {
    const waitsMs = options.waitMs ?? 0;
    return this.#info("start", [callerId, spec, options], { signal, waitsMs });
  }

  async identify(...args: Parameters<RunnerProcesses["identify"]>): Promise<Identified> {
    const answer = await this.#channel.value("identify", args);
    const { cwd, files } = this.#checked(() => this.#checks.identity(answer));
    // What is not there arrives as `null`.
    return { cwd, files: files.map((one) => one ?? undefined) };
  }

  async info(id: string): Promise<ProcessInfo | undefined> {
    const found = await this.#channel.value("info", [id]);
    return found === undefined || found === null ? undefined : this.#checked(() => this.#checks.info(found));
  }

  async list(): Promise<ProcessInfo[]> {
    const found = await this.#channel.value("list", []);
    return this.#checked(() => Array.from(found as unknown[], (one) => this.#checks.info(one)));
  }

  async read(
    id: string,
    from: number,
    { signal, ...options }: { max?: number; waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessOutput> {
    const waitsMs = options.waitMs ?? 0;
    const { head, body } = await this.#channel.call("read", [id, from, options], {
      signal,
      waitsMs,
      room: OUTPUT_ROOM,
    });
    const output = this.#checked(() => this.#checks.output(head["value"], body.length));
    let at = 0;
    const chunks = output.chunks.map(({ stream, offset, length }): OutputChunk => {
      at += length;
      return { stream, offset, bytes: body.subarray(at - length, at) };
    });
    return { ...output, chunks };
  }

  async write(id: string, bytes: Uint8Array, options: { waitMs?: number } = {}): Promise<{ queued: number }> {
    const waitsMs = options.waitMs ?? WRITE_WAIT_MS;
    const answer = await this.#channel.value("write", [id, options], { body: bytes, waitsMs });
    return { queued: countOf((answer as { queued?: unknown } | null)?.queued) };
  }

  async closeStdin(id: string): Promise<void> {
    await this.#channel.value("closeStdin", [id]);
  }

  async signal(id: string, signal: string, options: { tree?: boolean } = {}): Promise<{ signalled: number }> {
    const answer = await this.#channel.value("signal", [id, signal, options]);
    return { signalled: countOf((answer as { signalled?: unknown } | null)?.signalled) };
  }

  kill(id: string, options: { graceMs?: number } = {}): Promise<ProcessInfo> {
    return this.#info("kill", [id, options], { waitsMs: options.graceMs ?? KILL_GRACE_MS });
  }

  async resize(id: string, size: TerminalSize): Promise<void> {
    await this.#channel.value("resize", [id, size]);
  }

  async wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ProcessInfo> {
    return this.#wait(id, options, false);
  }

  /** Like {@link wait}, for as long as it takes, without keeping the program running. */
  ended(id: string): Promise<ProcessInfo> {
    return this.#wait(id, {}, true);
  }

  async release(id: string): Promise<void> {
    await this.#channel.value("release", [id]);
  }

  /** Ends everything it runs. The runner itself ends when its input does. */
  async close(graceMs: number): Promise<void> {
    await this.#channel.value("close", [graceMs], { waitsMs: graceMs });
  }

  async #wait(
    id: string,
    { signal, ...rest }: { timeoutMs?: number; signal?: AbortSignal },
    background: boolean,
  ): Promise<ProcessInfo> {
    if (!this.#channel.distrusts) return this.#info("wait", [id, rest], { signal, background });
    for (let left = rest.timeoutMs ?? Infinity; ; left -= WAIT_PIECE_MS) {
      const timeoutMs = Math.min(left, WAIT_PIECE_MS);
      const info = await this.#info("wait", [id, { timeoutMs }], { signal, background, waitsMs: timeoutMs });
      if (info.state !== "running" || left <= WAIT_PIECE_MS || signal?.aborted === true) return info;
    }
  }

  async #info(op: string, args: unknown[], options: CallOptions): Promise<ProcessInfo> {
    const answer = await this.#channel.value(op, args, options);
    return this.#checked(() => this.#checks.info(answer));
  }

  #checked<T>(check: () => T): T {
    try {
      return check();
    } catch (thrown) {
      const why = messageOf(thrown);
      this.#channel.abandon(why);
      throw new RunnerError("RUNNER_LOST", why);
    }
  }
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
