import { type HaftError, getErrorMessage } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxUsage } from "../../backend.ts";
import { START_MS } from "../../defaults.ts";
import { sandboxError } from "../../errors.ts";
import type { EngineStream } from "../engine/engine-stream.ts";
import { type Engine, EngineError } from "../engine/engine.ts";
import { HOST_LABEL, KEY_LABEL, LABEL, type ListedContainer, HAFT_LABEL_VALUE } from "./container-config.ts";
import { hasTcpMemoryController, limitTcpMemory } from "./tcp-memory.ts";

const MIB = 1024 * 1024;
const POLL_MS = 20;
const EVENT_MS = 1_000;

interface Stats {
  memory_stats?: { usage?: number };
  cpu_stats?: { cpu_usage?: { total_usage?: number } };
  pids_stats?: { current?: number };
}

export class Containers {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Not cancellable: it could leave an unknown container. */
  async create(name: string, config: Record<string, unknown>): Promise<string> {
    const { Id } = await this.#engine.call<{ Id: string }>("POST", `/containers/create?name=${name}`, {
      body: config,
    });
    return Id;
  }

  attach(id: string, signal?: AbortSignal): Promise<EngineStream> {
    return this.#engine.hijack(
      `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
      undefined,
      signal,
    );
  }

  async start(id: string, memoryMb: number): Promise<void> {
    await this.#engine.call("POST", `/containers/${id}/start`, { timeoutMs: START_MS });
    if (!hasTcpMemoryController()) return;
    const pid = await this.mainProcess(id).catch(() => 0);
    if (pid > 0) limitTcpMemory({ id, pid }, Math.floor(memoryMb * MIB));
  }

  /** Returns 0 if the container is not running. */
  async mainProcess(id: string): Promise<number> {
    const { State } = await this.#engine.call<{ State: { Pid: number } }>("GET", `/containers/${id}/json`);
    return State.Pid;
  }

  /** Without control groups, the Engine counts nothing. */
  async usage(id: string): Promise<SandboxUsage> {
    const path = `/containers/${id}/stats?stream=false&one-shot=true`;
    const { memory_stats, cpu_stats, pids_stats } = await this.#engine.call<Stats>("GET", path);
    const used = cpu_stats?.cpu_usage?.total_usage;
    return withoutUndefined<SandboxUsage>({
      memoryBytes: memory_stats?.usage,
      cpuMs: used === undefined || used === 0 ? undefined : Math.round(used / 1_000_000),
      tasks: pids_stats?.current || undefined,
    });
  }

  async exec(
    id: string,
    command: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ exec: string; stream: EngineStream }> {
    const { Id } = await this.#engine.call<{ Id: string }>("POST", `/containers/${id}/exec`, {
      body: { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: command },
      signal,
    });
    const stream = await this.#engine.hijack(`/exec/${Id}/start`, { Detach: false, Tty: false }, signal);
    return { exec: Id, stream };
  }

  async getExecExitCode(exec: string): Promise<number | undefined> {
    const { ExitCode } = await this.#engine.call<{ ExitCode: number | null }>("GET", `/exec/${exec}/json`);
    return ExitCode ?? undefined;
  }

  /** Returns `undefined` if the exit code is lost. */
  async wait(id: string, signal?: AbortSignal): Promise<number | undefined> {
    try {
      const path = `/containers/${id}/wait?condition=next-exit`;
      const options = { timeoutMs: 0, signal };
      const { StatusCode } = await this.#engine.call<{ StatusCode: number }>("POST", path, options);
      return StatusCode;
    } catch {
      return undefined;
    }
  }

  /** The Engine may learn this shortly after the end. */
  async ranOutOfMemory(id: string, since: number): Promise<boolean> {
    const filters = encodeURIComponent(JSON.stringify({ container: [id], event: ["oom", "kill"] }));
    const from = Math.floor(since / 1000) - 1;
    const deadline = performance.now() + EVENT_MS;
    do {
      const until = Math.ceil(Date.now() / 1000);
      // One document per line; the last counts.
      const path = `/events?since=${from}&until=${until}&filters=${filters}`;
      const last = await this.#engine
        .call<{ Action: string } | undefined>("GET", path)
        .catch(() => undefined);
      if (last !== undefined) return last.Action === "oom";
      await sleep(100);
    } while (performance.now() < deadline);
    return false;
  }

  /** Checks all of Haft's labels, because any program may use `haft`. */
  async list(): Promise<ListedContainer[]> {
    const label = [`${LABEL}=${HAFT_LABEL_VALUE}`, KEY_LABEL, HOST_LABEL];
    const filters = encodeURIComponent(JSON.stringify({ label }));
    return this.#engine.call<ListedContainer[]>("GET", `/containers/json?all=1&filters=${filters}`);
  }

  async isRunning(id: string): Promise<boolean> {
    const found = await this.#engine
      .call<{ State: { Running: boolean } }>("GET", `/containers/${id}/json`)
      .catch(ignoreMissing);
    return found?.State.Running ?? false;
  }

  async endsWithin(ms: number, id: string): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (await this.isRunning(id)) {
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
    return true;
  }

  async isInUse(id: string): Promise<boolean> {
    const found = await this.#engine
      .call<{ ExecIDs: string[] | null }>("GET", `/containers/${id}/json`)
      .catch(ignoreMissing);
    const running = (found?.ExecIDs ?? []).map(async (exec) => {
      const seen = await this.#engine
        .call<{ Running: boolean }>("GET", `/exec/${exec}/json`)
        .catch(ignoreMissing);
      return seen?.Running === true;
    });
    return (await Promise.all(running)).some(Boolean);
  }

  /** Returns false if the container did not exist. Throws `SANDBOX_NOT_REMOVED` after twice the answer time. */
  async remove(id: string): Promise<boolean> {
    const deadline = performance.now() + 2 * this.#engine.answerMs;
    let refused: unknown;
    for (let tries = 0; tries === 0 || performance.now() < deadline; tries++) {
      try {
        // Repeats the request, because the Engine gives up if a file appears in the container's folder.
        await this.#engine.call("DELETE", `/containers/${id}?force=1&v=1`);
      } catch (thrown) {
        if (isMissing(thrown)) return tries > 0;
        // A removal in progress is also an error; the first may be a timeout.
        refused = thrown;
        if (tries > 0 && !(thrown instanceof EngineError)) break;
      }
      await sleep(POLL_MS * Math.min(tries + 1, 10));
    }
    throw notRemoved(id, refused);
  }
}

function notRemoved(id: string, cause: unknown): HaftError {
  const why = cause === undefined ? "it still exists" : getErrorMessage(cause).replace(/\.$/, "");
  const short = id.slice(0, 12);
  const message = `The container ${short} of a sandbox was not removed, and may still run: ${why}.`;
  const fix = `If Docker hangs, restart it. Then run \`docker rm -f ${short}\`; the next Haft on this machine also removes it.`;
  return sandboxError("SANDBOX_NOT_REMOVED", message, { fix, cause, details: { backend: "docker", id } });
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.status === 404;
}

function ignoreMissing(thrown: unknown): undefined {
  if (isMissing(thrown)) return undefined;
  throw thrown;
}
