// oxlint-disable max-lines -- two lifetimes in one class; to be cut apart
import { createHash, randomBytes } from "node:crypto";
import { HaftError, messageOf } from "@haft/core";
import { runnerProgram, withProgram } from "@haft/workspace/runner";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxMount,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { checkMounts, WORKSPACE_INSIDE } from "./check-mounts.ts";
import { containerConfig, hashOfSpec, refOf } from "./container-config.ts";
import { Containers } from "./containers.ts";
import { Engine, EngineError } from "./engine.ts";
import { findEngineSocket } from "./engine-socket.ts";
import type { EngineStream } from "./engine-stream.ts";
import { aborted, imageMissing, noRunner, setupFailed, startFailed, unsupported } from "./failures.ts";
import { createHostUsrImage, HOST_USR_IMAGE, hostUsrMounts, isHostUsrImage } from "./host-usr-image.ts";
import { probeDocker } from "./probe.ts";
import type { DockerRunner, RunnerStart } from "./runners.ts";
import { DOCKER_RUNNERS, keeperCommand, runnerCommand, SETUP_FAILED, startOf } from "./runners.ts";

export interface DockerOptions {
  /** Of the Engine; by default that of `DOCKER_HOST`, or the first of the usual ones that is there. */
  socketPath?: string;
  /** For specifications without one; {@link HOST_USR_IMAGE} by default, which is made when it is missing. */
  image?: string;
  /** Ways to have a runner inside, in the order in which they are tried. */
  runners?: readonly DockerRunner[];
  /** Milliseconds the Engine has for one answer; 15,000 by default. */
  answerMs?: number;
  /** Milliseconds a runner has to say something; 15,000 by default. Setup scripts have ten minutes. */
  startMs?: number;
}

const START_MS = 15_000;
const SETUP_MS = 600_000;
const END_MS = 3_000;
/** One that was created and never started was left by a host that died in between. */
const NEVER_STARTED_MS = 60_000;
/** Of the init: what it should have started is not there, or is no program. */
const NOT_STARTED = new Set([126, 127]);

interface Started {
  id: string;
  stream: EngineStream;
  /** Exit code of the runner, when it is known. */
  exit: () => Promise<number | undefined>;
}

/**
 * Sandboxes by Docker, through the socket of its Engine: no `docker` program takes part. The runner is the main
 * process of a container without network, capabilities or a writable system; when the host dies, however it does,
 * the container is removed. Detached ones live on, and end by themselves when they are idle or too old.
 *
 * - Commands are the owner of the workspace: root only where that is root, and then without any capability.
 * - The socket of the Engine, the system's folders and everybody's temporary folder are never mounted.
 * - Images are never pulled. Everything is lazy: nothing is asked before it is needed.
 */
export function createDockerBackend(options: DockerOptions = {}): SandboxBackend {
  return new DockerBackend(options);
}

class DockerBackend implements SandboxBackend {
  readonly id = "docker";
  readonly #options: DockerOptions;
  #engine: Engine | undefined;
  /** By image: what worked the last time. */
  readonly #worked = new Map<string, DockerRunner>();

  constructor(options: DockerOptions) {
    this.#options = options;
  }

  probe(signal?: AbortSignal): Promise<SandboxProbe> {
    return probeDocker(this, () => this.#reach(), this.#options.image ?? HOST_USR_IMAGE, signal);
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    const isAborted = (): boolean => signal?.aborted === true;
    if (isAborted()) throw aborted();
    if (typeof spec.network === "object") {
      throw unsupported(
        "it cannot let some domains through and others not",
        'No backend here holds a list of domains yet: use the network "none" or "full".',
      );
    }
    const engine = this.#reach();
    const mounts = checkMounts(spec, engine.socketPath);
    const image = spec.image ?? this.#options.image ?? HOST_USR_IMAGE;
    try {
      await this.#checkImage(image, signal);
      await this.#forget();
      return spec.lifetime === "tethered"
        ? await this.#openTethered(spec, mounts, image, signal)
        : await this.#openDetached(spec, mounts, image, signal);
    } catch (thrown) {
      if (isAborted()) throw aborted();
      if (HaftError.is(thrown)) throw thrown;
      const fix = "See what the Engine says; `haft sandbox doctor` tries an ordinary one.";
      throw startFailed(messageOf(thrown), fix, thrown);
    }
  }

  async list(): Promise<SandboxRef[]> {
    await this.#forget();
    return (await this.#containers.list()).map(refOf);
  }

  destroy({ id }: SandboxRef): Promise<boolean> {
    return this.#containers.remove(id);
  }

  async close(): Promise<void> {
    this.#engine?.close();
  }

  #reach(): Engine {
    const { socketPath, answerMs } = this.#options;
    this.#engine ??= new Engine(findEngineSocket(socketPath), answerMs);
    return this.#engine;
  }

  get #containers(): Containers {
    return new Containers(this.#reach());
  }

  async #checkImage(image: string, signal: AbortSignal | undefined): Promise<void> {
    if (isHostUsrImage(image)) return createHostUsrImage(this.#reach(), signal);
    try {
      await this.#reach().call("GET", `/images/${encodeURIComponent(image)}/json`, { signal });
    } catch (thrown) {
      if (thrown instanceof EngineError && [400, 404].includes(thrown.status)) throw imageMissing(image);
      throw thrown;
    }
  }

  /** What hosts that were killed at the wrong moment left, and detached ones that are too old. */
  async #forget(): Promise<void> {
    const now = Date.now();
    const left = (await this.#containers.list()).filter(({ State, Labels }) => {
      const until = Number(Labels["haft.until"] ?? Number.POSITIVE_INFINITY);
      return now > until || (State === "created" && now - Number(Labels["haft.created"]) > NEVER_STARTED_MS);
    });
    await Promise.all(left.map(({ Id }) => this.#containers.remove(Id).catch(() => false)));
  }

  /** Tries one way after the other to have a runner. */
  async #inTurn<T>(image: string, attempt: (start: RunnerStart) => Promise<T>): Promise<T> {
    const { runners = DOCKER_RUNNERS } = this.#options;
    const known = this.#worked.get(image);
    const tried: string[] = [];
    for (const runner of known === undefined ? runners : [known, ...runners.filter((one) => one !== known)]) {
      try {
        const result = await attempt(await startOf(runner));
        this.#worked.set(image, runner);
        return result;
      } catch (thrown) {
        if (!(thrown instanceof NotServed)) throw thrown;
        tried.push(
          `${runner === "image-node" ? "its own Node" : "the Node of this machine"}: ${thrown.message}`,
        );
      }
    }
    throw noRunner(image, tried);
  }

  #config(spec: SandboxSpec, mounts: readonly SandboxMount[], image: string, start: RunnerStart) {
    const shown = isHostUsrImage(image) ? hostUsrMounts() : [];
    const system = [...shown.map((path) => ({ source: path, target: path })), ...start.system];
    return (command: readonly string[]) => containerConfig({ spec, mounts, system, image, command });
  }

  async #openTethered(
    spec: SandboxSpec,
    mounts: readonly SandboxMount[],
    image: string,
    signal: AbortSignal | undefined,
  ): Promise<SandboxConnection> {
    const containers = this.#containers;
    const createdAt = Date.now();
    const started = await this.#inTurn(image, async (start) => {
      const config = this.#config(spec, mounts, image, start)(runnerCommand(start, spec.setup));
      const name = `haft-${randomBytes(8).toString("hex")}`;
      try {
        const id = await containers.create(name, config);
        signal?.throwIfAborted();
        const exit = containers.wait(id);
        const stream = await containers.attach(id, signal);
        await containers.start(id).catch((thrown: unknown) => {
          throw refusedStart(thrown);
        });
        const found: Started = { id, stream, exit: () => exit };
        await this.#speaks(found, spec, signal);
        return found;
      } catch (thrown) {
        await containers.remove(name).catch(() => false);
        throw thrown;
      }
    });
    const { id, stream } = started;
    let closing = false;
    const end = async (): Promise<SandboxEnd> => {
      const exitCode = await this.#exitOf(started);
      stream.destroy();
      if (closing) return { why: "it was closed" };
      const oom = exitCode === 137 && (await containers.ranOutOfMemory(id, createdAt));
      return endOf({ exitCode, oom, memoryMb: spec.limits.memoryMb, complaint: stream.complaint });
    };
    return this.#connection(spec, mounts, image, { id, createdAt, stream, ended: end() }, async (ended) => {
      closing = true;
      stream.end();
      stream.resume();
      const force = setTimeout(() => void containers.remove(id).catch(() => false), END_MS);
      await ended;
      clearTimeout(force);
      await containers.gone(id).catch(() => {});
    });
  }

  async #openDetached(
    spec: SandboxSpec,
    mounts: readonly SandboxMount[],
    image: string,
    signal: AbortSignal | undefined,
  ): Promise<SandboxConnection> {
    const { lifetime } = spec;
    if (lifetime === "tethered") throw new TypeError("it is not detached");
    const containers = this.#containers;
    const name = `haft-${createHash("sha256").update(`${spec.scope}\0${spec.key}`).digest("hex").slice(0, 24)}`;
    const specHash = hashOfSpec(spec, image);
    const existing = (await containers.list()).find(
      ({ Labels }) =>
        Labels["haft.detached"] === "1" &&
        Labels["haft.key"] === spec.key &&
        Labels["haft.scope"] === spec.scope,
    );
    const fits = existing?.State === "running" && existing.Labels["haft.spec"] === specHash;
    if (existing !== undefined && !fits) await containers.remove(existing.Id);
    const started = await this.#inTurn(image, async (start) => {
      let id = fits ? existing.Id : undefined;
      const fresh = id === undefined;
      try {
        if (id === undefined) {
          id = await containers.create(
            name,
            this.#config(spec, mounts, image, start)(keeperCommand(start, lifetime)),
          );
          signal?.throwIfAborted();
          await containers.start(id).catch((thrown: unknown) => {
            throw refusedStart(thrown);
          });
        }
        const command = runnerCommand(start, fresh ? spec.setup : undefined);
        const { exec, stream } = await containers.exec(id, command, signal).catch((thrown: unknown) => {
          // The keeper has already gone, for want of a Node.
          throw fresh ? refusedStart(thrown) : thrown;
        });
        const found: Started = {
          id,
          stream,
          exit: () => containers.exitCodeOfExec(exec).catch(() => undefined),
        };
        await this.#speaks(found, spec, signal);
        return found;
      } catch (thrown) {
        if (fresh && !isConflict(thrown)) await containers.remove(name).catch(() => false);
        throw thrown;
      }
    });
    const { id, stream } = started;
    const createdAt = fits ? Number(existing.Labels["haft.created"]) : Date.now();
    let closing = false;
    const end = async (): Promise<SandboxEnd> => {
      const exitCode = await this.#exitOf(started);
      stream.destroy();
      if (closing) return { why: "it was closed" };
      if (!(await containers.isRunning(id).catch(() => true))) return { why: "its container has ended" };
      const oom = exitCode === 137 && (await containers.ranOutOfMemory(id, createdAt));
      return endOf({ exitCode, oom, memoryMb: spec.limits.memoryMb, complaint: stream.complaint });
    };
    return this.#connection(spec, mounts, image, { id, createdAt, stream, ended: end() }, async (ended) => {
      closing = true;
      stream.end();
      stream.resume();
      const force = setTimeout(() => stream.destroy(), END_MS);
      await ended;
      clearTimeout(force);
    });
  }

  #connection(
    spec: SandboxSpec,
    mounts: readonly SandboxMount[],
    image: string,
    {
      id,
      createdAt,
      stream,
      ended,
    }: { id: string; createdAt: number; stream: EngineStream; ended: Promise<SandboxEnd> },
    close: (ended: Promise<SandboxEnd>) => Promise<void>,
  ): SandboxConnection {
    const { key, scope, workspace, network, lifetime } = spec;
    const first = mounts.find(({ name }) => name === "");
    const own = { name: "", path: WORKSPACE_INSIDE, access: "rw" } as const;
    return {
      stream,
      ref: {
        backend: this.id,
        id,
        key,
        scope,
        specHash: hashOfSpec(spec, image),
        createdAt,
        state: "running",
        detached: lifetime !== "tethered",
      },
      mounts: [first ?? own, ...mounts.filter((one) => one !== first)].map(({ name, path, access }) => ({
        name,
        path,
        access,
      })),
      facts: { mount: workspace, network: network === "full" ? "full" : "none" },
      ended,
      close: () => close(ended),
    };
  }

  /** Sends the program and waits for the first word of it. */
  async #speaks(
    { stream, exit }: Started,
    spec: SandboxSpec,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { source } = await runnerProgram();
    withProgram(stream, source);
    const { startMs = START_MS } = this.#options;
    const limit = startMs + (spec.setup === undefined ? 0 : SETUP_MS);
    let tooLate = false;
    const timer = setTimeout(() => {
      tooLate = true;
      stream.destroy();
    }, limit);
    const stop = (): void => void stream.destroy();
    signal?.addEventListener("abort", stop);
    const spoken = await stream.spoken;
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
    if (spoken) return;
    stream.destroy();
    if (tooLate) {
      throw startFailed(
        `its runner said nothing for ${limit / 1000} seconds`,
        "Try again when the machine is less busy.",
      );
    }
    const code = await Promise.race([exit(), later(END_MS)]);
    if (code === SETUP_FAILED) throw setupFailed(stream.complaint);
    if (code === 137) {
      throw startFailed("its memory does not suffice for the runner", "Allow at least 128 MiB.");
    }
    const said = stream.complaint.trim().split("\n").at(-1) ?? "";
    if (code !== undefined && NOT_STARTED.has(code)) throw new NotServed(said || "it is not there");
    throw new NotServed(said || `it ended at once with exit code ${code ?? "unknown"}`);
  }

  /** When its stream has ended, its exit code, unless that cannot be had any more. */
  async #exitOf({ stream, exit }: Started): Promise<number | undefined> {
    await stream.gone;
    return Promise.race([exit(), later(END_MS)]);
  }
}

/** This way there is no runner; another may do. */
class NotServed extends Error {}

/** The Engine says so when the command, or a file to be mounted, is not there. */
function refusedStart(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError)) return thrown;
  const missing = /executable file not found|no such file or directory|exec format error|is not running/i;
  return missing.test(thrown.message) ? new NotServed(thrown.message) : thrown;
}

function isConflict(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.status === 409;
}

function endOf(facts: {
  exitCode: number | undefined;
  oom: boolean;
  memoryMb: number;
  complaint: string;
}): SandboxEnd {
  const { exitCode, oom, memoryMb, complaint } = facts;
  const code = exitCode === undefined ? {} : { exitCode };
  if (oom) return { why: `it used more than ${memoryMb} MiB of memory`, oom, ...code };
  const said = complaint.trim().split("\n").at(-1);
  const how =
    exitCode === undefined
      ? "the connection to its container ended"
      : `its runner ended with exit code ${exitCode}`;
  return { why: said ? `${how}: ${said}` : how, ...code };
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), ms).unref());
}
