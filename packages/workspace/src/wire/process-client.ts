import {
  type FileIdentity,
  getErrorMessage,
  type OutputChunk,
  type ProcessInfo,
  type ProcessOutput,
} from "@haft/core";
import { RunnerError } from "@haft/system";
import { DEFAULT_KILL_GRACE_MS, DEFAULT_WRITE_WAIT_MS } from "../defaults.ts";
import type { CallOptions, RunnerChannel } from "./channel.ts";
import {
  type RunnerAnswerOptions,
  type DeferredStartOptions,
  MAX_INLINE_OUTPUT_BYTES,
  type OutputHead,
  type RunnerProcesses,
} from "./protocol.ts";

/** With a timeout for every answer, a long wait is split. */
const WAIT_PIECE_MS = 60_000;
const OUTPUT_ROOM = 2 * 1024 * 1024;

export interface AnswerChecks {
  info(value: unknown): ProcessInfo;
  output(value: unknown, bytes: number): OutputHead;
  identity(value: unknown): { cwd: FileIdentity; files: (FileIdentity | null)[] };
}

const BROUGHT: RunnerAnswerOptions = { bringOutput: MAX_INLINE_OUTPUT_BYTES };

const TRUSTED = {
  info: (value: unknown) => value,
  output: (value: unknown) => value,
  identity: (value: unknown) => value,
} as AnswerChecks;

export interface RunnerClient extends RunnerProcesses {
  /** The runner itself ends with its input. */
  close(graceMs: number): Promise<void>;
}

/** Calls that are open at the end of the channel fail with `RUNNER_LOST`. */
export function createRunnerClient(channel: RunnerChannel, checks: AnswerChecks = TRUSTED): RunnerClient {
  const checked = <T>(check: () => T): T => {
    try {
      return check();
    } catch (thrown) {
      const why = getErrorMessage(thrown);
      channel.abandon(why);
      throw new RunnerError("RUNNER_LOST", why);
    }
  };
  const outputOf = (value: unknown, body: Uint8Array): ProcessOutput => {
    const output = checked(() => checks.output(value, body.length));
    let at = 0;
    const chunks = output.chunks.map(({ stream, offset, length }): OutputChunk => {
      at += length;
      return { stream, offset, bytes: body.subarray(at - length, at) };
    });
    return { ...output, chunks };
  };
  const latest = new LatestOutput();
  const infoOf = async (op: string, args: unknown[], options: CallOptions): Promise<ProcessInfo> => {
    const { head, body } = await channel.call(op, args, options);
    const info = checked(() => checks.info(head["value"]));
    const { output } = head;
    if (output !== undefined && output !== null) latest.keep(info.id, outputOf(output, body));
    return info;
  };
  const callVoid = async (op: string, args: unknown[], options?: CallOptions): Promise<void> => {
    await channel.value(op, args, options);
  };
  const waitFor = async (
    id: string,
    { signal, ...rest }: NonNullable<Parameters<RunnerProcesses["wait"]>[1]>,
    background: boolean,
  ): Promise<ProcessInfo> => {
    const brought = background ? {} : BROUGHT;
    if (!channel.distrusts) return infoOf("wait", [id, { ...rest, ...brought }], { signal, background });
    for (let left = rest.timeoutMs ?? Infinity; ; left -= WAIT_PIECE_MS) {
      const timeoutMs = Math.min(left, WAIT_PIECE_MS);
      const info = await infoOf("wait", [id, { timeoutMs, ...brought }], {
        signal,
        background,
        waitsMs: timeoutMs,
      });
      if (info.state !== "running" || left <= WAIT_PIECE_MS || signal?.aborted === true) return info;
    }
  };
  return {
    start(callerId, spec, { signal, ready, fence, ...options } = {}) {
      const held: DeferredStartOptions = ready === undefined ? {} : { held: true };
      const call = { signal, ready, fence, waitsMs: options.waitMs ?? 0 };
      return infoOf("start", [callerId, spec, { ...options, ...BROUGHT, ...held }], call);
    },
    async identify(...args) {
      const answer = await channel.value("identify", args);
      const { cwd, files } = checked(() => checks.identity(answer));
      return { cwd, files: files.map((one) => one ?? undefined) };
    },
    async info(id) {
      const found = await channel.value("info", [id]);
      return found === undefined || found === null ? undefined : checked(() => checks.info(found));
    },
    async list() {
      const found = await channel.value("list", []);
      return checked(() => Array.from(found as unknown[], (one) => checks.info(one)));
    },
    async read(id, from, { signal, ...options } = {}) {
      const call = { signal, waitsMs: options.waitMs ?? 0, room: OUTPUT_ROOM };
      const brought = latest.read(id, from, options.max);
      if (brought !== undefined) return brought;
      const { head, body } = await channel.call("read", [id, from, options], call);
      return outputOf(head["value"], body);
    },
    async write(id, bytes, { fence, ...options } = {}) {
      const waitsMs = options.waitMs ?? DEFAULT_WRITE_WAIT_MS;
      const answer = await channel.value("write", [id, options], { body: bytes, waitsMs, fence });
      return { queued: countOf((answer as { queued?: unknown } | null)?.queued) };
    },
    closeStdin: (id, { fence } = {}) => callVoid("closeStdin", [id], { fence }),
    async signal(id, signal, { fence, ...options } = {}) {
      const answer = await channel.value("signal", [id, signal, options], { fence });
      return { signalled: countOf((answer as { signalled?: unknown } | null)?.signalled) };
    },
    kill: (id, options = {}) =>
      infoOf("kill", [id, options], { waitsMs: options.graceMs ?? DEFAULT_KILL_GRACE_MS }),
    resize: (id, size) => callVoid("resize", [id, size]),
    wait: (id, options = {}) => waitFor(id, options, false),
    ended: (id) => waitFor(id, {}, true),
    release: (id) => callVoid("release", [id]),
    close: (graceMs) => callVoid("close", [graceMs], { waitsMs: graceMs }),
  };
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Valid in this turn: remaining processes may write more. */
class LatestOutput {
  readonly #outputs = new Map<string, ProcessOutput>();

  keep(id: string, output: ProcessOutput): void {
    if (this.#outputs.size === 0) setImmediate(() => this.#outputs.clear());
    this.#outputs.set(id, output);
  }

  read(id: string, from: number, max = Infinity): ProcessOutput | undefined {
    const output = this.#outputs.get(id);
    return output !== undefined && from === 0 && output.total <= max ? output : undefined;
  }
}
