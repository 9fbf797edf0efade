import { createHash } from "node:crypto";
import { HaftError, messageOf } from "@haft/core";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { AttachedStream } from "./attached-stream.ts";
import { LABEL_FILTER, NODE_INSIDE, planContainer, PROGRAM_INSIDE, refOf } from "./container-config.ts";
import { Engine, EngineError } from "./engine.ts";
import {
  aborted,
  HOST_USR,
  imageMissing,
  noRunner,
  startFailed,
  unavailable,
  unsupported,
} from "./failures.ts";
import { ensureHostUsrImage } from "./host-usr-image.ts";

export interface DockerOptions {
  /** The Engine's socket; that of `DOCKER_HOST`, else `/var/run/docker.sock`, by default. */
  socketPath?: string;
  /** Used when a specification names none; `haft/host-usr`, made of this machine's own `/usr`, by default. */
  image?: string;
}

const ID = "docker";
const START_MS = 30_000;
/** A runner that is not gone so long after it should be is killed. */
const END_MS = 5_000;

/** Which Node runs the runner, tried in this order. */
const COMMANDS = (flags: readonly string[]) => [
  { name: "the host's Node", argv: [NODE_INSIDE, ...flags, PROGRAM_INSIDE] },
  { name: "the image's own Node", argv: ["node", ...flags, PROGRAM_INSIDE] },
];

/**
 * Sandboxes in Docker containers, through the Engine's socket: no client program is needed. A container has no
 * network, a read-only root, no capabilities and no way to new ones, and limits on memory, processes and file sizes. Its main
 * process is the runner, whose input is the host: when that ends, the container does, and is removed.
 *
 * `network: "full"` shares the network of the host.
 */
export function createDockerBackend(options: DockerOptions = {}): SandboxBackend {
  return new DockerBackend(options);
}

class DockerBackend implements SandboxBackend {
  readonly id = ID;
  readonly #engine: Engine;
  readonly #image: string;
  /** The way that worked for an image. */
  readonly #ways = new Map<string, number>();

  constructor({ socketPath, image = HOST_USR }: DockerOptions) {
    this.#engine = new Engine(socketPath);
    this.#image = image;
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    try {
      const version = await this.#engine.json<{ Version: string; ApiVersion: string }>({
        path: "/version",
        signal,
      });
      const begun = performance.now();
      const connection = await this.open(PROBE, signal);
      const startMs = Math.round(performance.now() - begun);
      await connection.close();
      return {
        backend: ID,
        available: true,
        startMs,
        details: {
          engine: `${version.Version} (API ${version.ApiVersion})`,
          socket: this.#engine.socketPath,
          image: this.#image,
          isolation:
            "namespaces of a container, no capabilities, read-only root, the Engine's filter of system calls",
          "limit memoryMb": "holds",
          "limit tasks": "holds",
          "limit cpus": "holds",
          "limit fileMb": "holds (RLIMIT_FSIZE)",
          "limit tmpMb": "holds (size of the file system)",
          lifetime: "tethered",
        },
      };
    } catch (thrown) {
      if (!HaftError.is(thrown) || signal?.aborted === true) throw thrown;
      const { message, fix } = thrown;
      const details = { socket: this.#engine.socketPath, image: this.#image, code: thrown.code };
      return {
        backend: ID,
        available: false,
        reason: message,
        ...(fix === undefined ? {} : { fix }),
        details,
      };
    }
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    if (signal?.aborted === true) throw aborted();
    checkSupported(spec);
    const { RUNNER_FLAGS, runnerProgram } = await import("@haft/workspace/runner");
    const { path: program } = await runnerProgram();
    const image = spec.image ?? this.#image;
    const ways = COMMANDS(RUNNER_FLAGS);
    const known = this.#ways.get(image);
    const failures: string[] = [];
    for (const [index, { name, argv }] of ways.entries()) {
      if (known !== undefined && known !== index) continue;
      try {
        const connection = await this.#start({ spec, image, program, command: argv }, signal);
        this.#ways.set(image, index);
        return connection;
      } catch (thrown) {
        if (!(thrown instanceof NotThisWay)) throw thrown;
        failures.push(`${name}: ${thrown.message}`);
      }
    }
    throw noRunner(image, failures.join("; "));
  }

  async list(): Promise<SandboxRef[]> {
    const path = `/containers/json?all=1&filters=${LABEL_FILTER}`;
    const found = await this.#engine.json<{ Id: string; Labels: Record<string, string>; State: string }[]>({
      path,
    });
    return found.map(({ Id, Labels, State }) => refOf(Id, Labels, State));
  }

  async destroy({ id }: SandboxRef): Promise<boolean> {
    return this.#remove(id);
  }

  async #start(
    {
      spec,
      image,
      program,
      command,
    }: { spec: SandboxSpec; image: string; program: string; command: string[] },
    signal: AbortSignal | undefined,
  ): Promise<SandboxConnection> {
    const ref: Omit<SandboxRef, "id"> = {
      backend: ID,
      key: spec.key,
      scope: spec.scope,
      specHash: createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16),
      createdAt: Date.now(),
      state: "running",
      detached: false,
    };
    const { socketPath } = this.#engine;
    const plan = planContainer({ spec, image, ref, command, node: process.execPath, program, socketPath });
    const id = await this.#create(image, plan.config, signal);
    let stream: AttachedStream | undefined;
    try {
      stream = new AttachedStream(await this.#engine.attach(id, signal));
      const exit = this.#exitOf(id);
      await this.#engine.json({ method: "POST", path: `/containers/${id}/start`, signal, limitMs: START_MS });
      await this.#speaks(stream, signal);
      return this.#connect({ ...ref, id }, plan.mounts, spec, stream, exit);
    } catch (thrown) {
      stream?.destroy();
      await this.#remove(id).catch(() => false);
      throw isAborted(signal) ? aborted() : refusedStart(thrown, command[0]!);
    }
  }

  async #create(image: string, config: object, signal: AbortSignal | undefined): Promise<string> {
    const create = () =>
      this.#engine.json<{ Id: string }>({ method: "POST", path: "/containers/create", body: config, signal });
    try {
      return (await create()).Id;
    } catch (thrown) {
      if (!(thrown instanceof EngineError)) throw thrown;
      if (thrown.status !== 404)
        throw startFailed(thrown.message, "Correct what the daemon complains about.");
      if (image !== HOST_USR) throw imageMissing(image);
      await ensureHostUsrImage(this.#engine);
      return (await create()).Id;
    }
  }

  async #speaks(stream: AttachedStream, signal: AbortSignal | undefined): Promise<void> {
    let tooLate = false;
    const timer = setTimeout(() => {
      tooLate = true;
      stream.destroy();
    }, START_MS);
    const stop = (): void => void stream.destroy();
    signal?.addEventListener("abort", stop);
    const spoken = await stream.spoken;
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (spoken && signal?.aborted !== true) return;
    if (signal?.aborted === true) throw aborted();
    if (tooLate) {
      throw startFailed(
        `its runner said nothing for ${START_MS / 1000} seconds`,
        "Try again when the machine is less busy.",
      );
    }
    throw new NotThisWay(stream.complaint.trim().split("\n").at(-1) || "it ended without a word");
  }

  /** Its exit code, when it is gone and removed. */
  #exitOf(id: string): Promise<number | undefined> {
    return this.#engine
      .json<{ StatusCode: number }>({
        method: "POST",
        path: `/containers/${id}/wait?condition=removed`,
        limitMs: 0,
      })
      .then(({ StatusCode }) => StatusCode)
      .catch(() => undefined);
  }

  #connect(
    ref: SandboxRef,
    mounts: SandboxConnection["mounts"],
    spec: SandboxSpec,
    stream: AttachedStream,
    exit: Promise<number | undefined>,
  ): SandboxConnection {
    let closing = false;
    const gone = new Promise<void>((resolve) => stream.once("close", resolve));
    const end = async (): Promise<SandboxEnd> => {
      // A daemon that is gone cannot say how it ended.
      const exitCode = await Promise.race([exit, gone.then(() => exit)]);
      stream.destroy();
      const code = exitCode === undefined ? {} : { exitCode };
      if (closing) return { why: "it was closed", ...code };
      if (exitCode === undefined) return { why: "the Docker daemon is gone, or lost its trace" };
      if (exitCode === 137) {
        const why = `it was killed; most likely it used more than ${spec.limits.memoryMb} MiB of memory, or was removed`;
        return { why, oom: true, ...code };
      }
      const said = stream.complaint.trim().split("\n").at(-1);
      return { why: `its runner ended with exit code ${exitCode}${said ? `: ${said}` : ""}`, ...code };
    };
    const ended = end();
    return {
      stream,
      ref,
      mounts,
      facts: { mount: spec.workspace, network: spec.network === "none" ? "none" : "full" },
      ended,
      close: async () => {
        closing = true;
        stream.end();
        stream.resume();
        const force = setTimeout(() => void this.#remove(ref.id).catch(() => false), END_MS);
        await ended;
        clearTimeout(force);
      },
    };
  }

  async #remove(id: string): Promise<boolean> {
    try {
      await this.#engine.json({ method: "DELETE", path: `/containers/${id}?force=1&v=1` });
      return true;
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || (thrown.status !== 404 && thrown.status !== 409)) throw thrown;
      // 409: it is being removed already.
      return thrown.status === 409;
    }
  }
}

/** Asked again: it changes while something is waited for. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** This Node cannot run in this image; another may. */
class NotThisWay extends Error {}

function refusedStart(thrown: unknown, program: string): unknown {
  if (!(thrown instanceof EngineError)) return thrown;
  if (thrown.message.includes(program) || /no such file|not found|permission denied/i.test(thrown.message)) {
    return new NotThisWay(thrown.message);
  }
  if (thrown.status >= 500) return startFailed(messageOf(thrown), "Look at the log of the Docker daemon.");
  return unavailable(messageOf(thrown), "Look at the log of the Docker daemon.");
}

function checkSupported({ network, lifetime, setup }: SandboxSpec): void {
  if (typeof network === "object") {
    throw unsupported(
      "it cannot let some domains through and others not",
      'Use the sandbox-runtime backend for a list of domains, or the network "none" or "full" here.',
    );
  }
  if (lifetime !== "tethered") {
    throw unsupported("its containers end with the host so far", 'Use the lifetime "tethered".');
  }
  if (setup !== undefined) {
    throw unsupported("its root is read-only, so there is nothing to set up", "Put it into the image.");
  }
}

const PROBE: SandboxSpec = {
  key: "probe",
  scope: "session",
  workspace: "none",
  mounts: [],
  env: {},
  network: "none",
  limits: { memoryMb: 512, tasks: 128, cpus: 0, fileMb: 64, tmpMb: 64 },
  lifetime: "tethered",
};
