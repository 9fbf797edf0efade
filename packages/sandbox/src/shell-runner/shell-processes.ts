import type { ProcessInfo, ProcessOutput, Processes, ProcessSpec } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import {
  type RunnerProcesses,
  DEFAULT_OUTPUT_READ_BYTES,
  DEFAULT_WRITE_WAIT_MS,
  DEFAULT_KILL_GRACE_MS,
  MAX_OUTPUT_READ_BYTES,
  MAX_QUEUED_BYTES,
  MAX_TIMER_MS,
} from "@haft/workspace/internal/wire";
import { setTimeout as sleep } from "node:timers/promises";
import { requireSuccess, toProcessEnd, toRunnerError, capabilityMissingError } from "./shell-answers.ts";
import { type ShellChannel, encodeShellWord } from "./shell-channel.ts";
import { recordOutputSize, type ShellProcess, readChunks } from "./shell-output.ts";

const POLL_MS = [2, 5, 10, 20, 50, 100, 150] as const;

function pollMs(turn: number): number {
  return POLL_MS[Math.min(turn, POLL_MS.length - 1)]!;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

type StartOptions = NonNullable<Parameters<RunnerProcesses["start"]>[2]>;

/** Only a hung file system lets a process survive KILL for longer. */
const KILLED_MS = 3_000;

/** Lacks terminals and identification (`CAPABILITY_MISSING`). Output has only the file limit. SIGINT and SIGQUIT are ignored by default. */
export class ShellProcesses implements Processes {
  readonly #channel: ShellChannel;
  readonly #mark: string;
  readonly #maxRunning: number;
  readonly #known = new Map<string, ShellProcess>();
  readonly #starts = new Map<string, Promise<ProcessInfo>>();
  #count = 0;

  constructor(channel: ShellChannel, options: { mark: string; maxRunning: number }) {
    this.#channel = channel;
    this.#mark = options.mark;
    this.#maxRunning = options.maxRunning;
  }

  async start(
    callerId: string,
    spec: ProcessSpec,
    { waitMs = 0, signal, ready, fence }: StartOptions = {},
  ): Promise<ProcessInfo> {
    await ready;
    let starting = this.#starts.get(callerId);
    if (starting === undefined) {
      starting = this.#start(callerId, spec, fence);
      this.#starts.set(callerId, starting);
      starting.catch(() => this.#starts.delete(callerId));
    }
    const { id } = await starting;
    if (signal?.aborted === true) await this.kill(id, { graceMs: 0 });
    return this.wait(id, withoutUndefined({ timeoutMs: waitMs, signal }));
  }

  identify(): never {
    throw capabilityMissingError("inspect programs before they run", "identify");
  }

  async info(id: string): Promise<ProcessInfo | undefined> {
    const one = this.#known.get(id);
    return one === undefined ? undefined : this.#poll(one);
  }

  list(): Promise<ProcessInfo[]> {
    return Promise.all([...this.#known.values()].map((one) => this.#poll(one)));
  }

  async read(
    id: string,
    from: number,
    options: { max?: number; waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessOutput> {
    const { max = DEFAULT_OUTPUT_READ_BYTES, waitMs = 0, signal } = options;
    const one = this.#find(id);
    const deadline = performance.now() + waitMs;
    let info = await this.#poll(one);
    for (let turn = 0; info.output.total <= from && info.state === "running"; turn++) {
      const left = deadline - performance.now();
      if (left <= 0 || signal?.aborted === true) break;
      await pause(Math.min(left, pollMs(turn)), signal);
      info = await this.#poll(one);
    }
    const { total } = info.output;
    const until = Math.min(total, from + Math.min(max, MAX_OUTPUT_READ_BYTES));
    const chunks = await readChunks(this.#channel, one, from, until);
    return { chunks, next: Math.max(from, until), dropped: 0, total, state: info.state };
  }

  async write(
    id: string,
    bytes: Uint8Array,
    { waitMs = DEFAULT_WRITE_WAIT_MS, fence }: { waitMs?: number; fence?: Fence } = {},
  ): Promise<{ queued: number }> {
    const one = this.#find(id);
    if (one.info.stdin === "closed") throw new RunnerError("STDIN_CLOSED", "its standard input is closed");
    const deadline = performance.now() + waitMs;
    for (let turn = 0; ; turn++) {
      const queued = await this.#queued(one, "-");
      if (queued + bytes.length <= MAX_QUEUED_BYTES || queued === 0) break;
      if (performance.now() >= deadline) throw new RunnerError("STDIN_FULL", `${queued} bytes wait already`);
      await sleep(pollMs(turn));
    }
    if (bytes.length === 0) return { queued: await this.#queued(one, "-") };
    return { queued: await this.#queued(one, await this.#channel.upload(bytes), fence) };
  }

  async closeStdin(id: string, { fence }: { fence?: Fence } = {}): Promise<void> {
    const one = this.#find(id);
    if (one.info.stdin === "closed") return;
    const answer = await this.#channel.callWithFence(fence, "input", one.id, "eof");
    if (!answer.ok && answer.fields[0] !== "STDIN_CLOSED") throw toRunnerError(answer);
    one.info.stdin = "closed";
  }

  async signal(
    id: string,
    signal: string,
    { tree = true, fence }: { tree?: boolean; fence?: Fence } = {},
  ): Promise<{ signalled: number }> {
    const one = this.#find(id);
    const name = signal.replace(/^SIG/, "");
    if (!/^[A-Z][A-Z0-9]{1,9}$/.test(name))
      throw new RunnerError("INVALID_PROCESS", "the signal does not exist");
    const sent = await this.#channel.callWithFence(fence, "signal", one.id, name, tree ? "1" : "0");
    return { signalled: Number(requireSuccess(sent).fields[0]) };
  }

  async kill(id: string, { graceMs }: { graceMs?: number } = {}): Promise<ProcessInfo> {
    return this.#end(this.#find(id), "killed", graceMs);
  }

  async resize(id: string): Promise<void> {
    this.#find(id);
    throw new RunnerError("not-a-terminal", "it runs without a terminal");
  }

  async wait(
    id: string,
    { timeoutMs = Number.POSITIVE_INFINITY, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessInfo> {
    const one = this.#find(id);
    const deadline = performance.now() + timeoutMs;
    for (let turn = 0; ; turn++) {
      const info = await this.#poll(one);
      const left = deadline - performance.now();
      if (info.state !== "running" || left <= 0 || signal?.aborted === true) return info;
      await pause(Math.min(left, pollMs(turn)), signal);
    }
  }

  async ended(id: string): Promise<ProcessInfo> {
    const one = this.#find(id);
    while (one.info.state === "running") {
      await sleep(500, undefined, { ref: false });
      await this.#poll(one);
    }
    return structuredClone(one.info);
  }

  async release(id: string): Promise<void> {
    const one = this.#find(id);
    if ((await this.#poll(one)).state === "running")
      throw new RunnerError("process-running", "it still runs");
    this.#known.delete(id);
    this.#starts.delete(one.info.callerId);
    await this.#channel.call("release", one.id);
  }

  forget(): void {
    for (const { timeout } of this.#known.values()) clearTimeout(timeout);
  }

  async close(graceMs: number): Promise<void> {
    const running = [...this.#known.values()];
    await Promise.all(running.map((one) => this.#end(one, "killed", graceMs).catch(() => {})));
  }

  async #start(callerId: string, spec: ProcessSpec, fence: Fence | undefined): Promise<ProcessInfo> {
    checkRequest(spec);
    const { argv, script, shell = "sh", cwd = "", stdin = "closed" } = spec;
    const running = [...this.#known.values()].filter(({ info }) => info.state === "running");
    if (running.length >= this.#maxRunning) {
      await Promise.all(running.map((one) => this.#poll(one)));
      if (running.filter(({ info }) => info.state === "running").length >= this.#maxRunning)
        throw new RunnerError("TOO_MANY_PROCESSES", `${this.#maxRunning} processes run already`);
    }
    const number = String(++this.#count);
    const request = await this.#channel.upload(describeRequest(spec, `${this.#mark}.${number}.`));
    const text = script === undefined ? "-" : await this.#channel.upload(Buffer.from(script || ":"));
    const answer = requireSuccess(
      await this.#channel.callWithFence(
        fence,
        "start",
        number,
        encodeShellWord(cwd),
        request,
        text,
        encodeShellWord(shell),
        stdin === "open" ? "1" : "0",
      ),
    );
    const id = `${this.#mark}-${number}`;
    const info: ProcessInfo = {
      id,
      callerId,
      pid: Number(answer.fields[0]),
      command: (script ?? argv!.join(" ")).slice(0, 4_096),
      cwd,
      startedAt: Date.now(),
      state: "running",
      pty: false,
      stdin,
      output: { stdout: 0, stderr: 0, total: 0, dropped: 0, spooled: 0 },
    };
    const one: ShellProcess = {
      id: number,
      info,
      segments: [],
      cause: undefined,
      graceMs: spec.killGraceMs ?? DEFAULT_KILL_GRACE_MS,
      timeout: undefined,
    };
    if (spec.timeoutMs !== undefined && spec.timeoutMs <= MAX_TIMER_MS) {
      one.timeout = setTimeout(() => void this.#end(one, "timeout").catch(() => {}), spec.timeoutMs);
      one.timeout.unref();
    }
    this.#known.set(id, one);
    return info;
  }

  /** TERM, grace time, KILL; also for children of an ended process. */
  async #end(one: ShellProcess, cause: "timeout" | "killed", graceMs = one.graceMs): Promise<ProcessInfo> {
    if ((await this.#poll(one)).state === "running") one.cause ??= cause;
    if (graceMs > 0 && (await this.#signalTree(one, "TERM")) > 0) await this.#waitUntilEnded(one, graceMs);
    // Repeated for processes that started in between.
    const deadline = performance.now() + KILLED_MS;
    while ((await this.#signalTree(one, "KILL")) > 0 && performance.now() < deadline)
      await this.#waitUntilEnded(one, 100);
    return this.wait(one.info.id, { timeoutMs: 5_000 });
  }

  async #signalTree(one: ShellProcess, name: string): Promise<number> {
    return Number(requireSuccess(await this.#channel.call("signal", one.id, name, "1")).fields[0]);
  }

  async #waitUntilEnded(one: ShellProcess, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    for (let turn = 0; (await this.#signalTree(one, "0")) > 0 && performance.now() < deadline; turn++) {
      await sleep(pollMs(turn));
    }
  }

  async #poll(one: ShellProcess): Promise<ProcessInfo> {
    const { info } = one;
    const { fields } = requireSuccess(await this.#channel.call("state", one.id));
    const [end = "", stdout, stderr, open] = fields;
    const { output } = info;
    recordOutputSize(one, "stdout", Number(stdout));
    recordOutputSize(one, "stderr", Number(stderr));
    output.total = output.stdout + output.stderr;
    if (open === "0") info.stdin = "closed";
    if (end !== "running" && info.state === "running") {
      clearTimeout(one.timeout);
      Object.assign(
        info,
        { state: "exited", endedAt: Date.now(), stdin: "closed" },
        toProcessEnd(Number(end), one.cause),
      );
    }
    return structuredClone(info);
  }

  async #queued(one: ShellProcess, upload: string, fence?: Fence): Promise<number> {
    return Number(
      requireSuccess(await this.#channel.callWithFence(fence, "input", one.id, upload)).fields[0],
    );
  }

  #find(id: string): ShellProcess {
    const one = this.#known.get(id);
    if (one === undefined)
      throw new RunnerError("PROCESS_NOT_FOUND", `there is no process ${JSON.stringify(id)}`);
    return one;
  }
}

/** Limit of Linux. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;

function checkRequest(spec: ProcessSpec): void {
  const { argv, script, shell = "sh", cwd = "", env = {} } = spec;
  if (spec.pty !== undefined) throw capabilityMissingError("give a command a terminal", "pty");
  if (spec.expect !== undefined && spec.expect.length > 0)
    throw capabilityMissingError("run only inspected programs", "identify");
  if ((argv === undefined) === (script === undefined) || argv?.length === 0)
    throw new RunnerError("INVALID_PROCESS", "it needs either `argv` or `script`");
  const texts = [...(argv ?? []), script ?? "", shell, cwd, ...Object.values(env)];
  if (texts.some((text) => text.includes("\0")))
    throw new RunnerError("INVALID_PROCESS", "it contains a NUL character");
  if ([...(argv ?? []), ...Object.values(env)].some((text) => Buffer.byteLength(text) >= LONGEST_ARGUMENT))
    throw new RunnerError(
      "command-too-long",
      `an argument or variable is longer than ${LONGEST_ARGUMENT} bytes`,
    );
}

function describeRequest({ argv = [], env = {} }: ProcessSpec, mark: string): Buffer {
  const variables = { ...env, HAFT_PROCESS: mark };
  const lines = [
    ...Object.entries(variables).map(([name, value]) => `e${encodeShellWord(`${name}=${value}`)}`),
    "-",
    ...argv.map((one) => `a${encodeShellWord(one)}`),
  ];
  return Buffer.from(`${lines.join("\n")}\n`);
}
