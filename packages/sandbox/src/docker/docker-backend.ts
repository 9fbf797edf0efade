import { HaftError, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { lazy, withTimeout } from "@haft/utils";
import { randomBytes } from "node:crypto";
import type { SandboxBackend, SandboxConnection, SandboxProbe, SandboxRef, SandboxSpec } from "../backend.ts";
import { DOCKER_START_MS } from "../defaults.ts";
import {
  abortedError,
  dockerError,
  hostListUnsupportedError,
  noRunnerError,
  sandboxError,
} from "../errors.ts";
import { resolveLifetime } from "../launch/resolve-lifetime.ts";
import { withCheckedSetup } from "../mounts/mounted-folders.ts";
import { getDefaultCacheFolder } from "../programs/stage-node.ts";
import { checkMounts } from "./container/check-mounts.ts";
import { containerConfig, isHostGone, HOST_LABEL, toSandboxRef } from "./container/container-config.ts";
import { Containers } from "./container/containers.ts";
import { listReadOnlySubmounts, submountRefusedError, inspectEngine } from "./container/read-only-mounts.ts";
import {
  wrapWithSetup,
  DOCKER_RUNNERS,
  type DockerRunner,
  type RunnerStart,
  createRunnerStart,
} from "./container/runner-start.ts";
import { CONTAINER_INIT_PATH, stageInit } from "./container/stage-init.ts";
import {
  createContainerConnection,
  DOCKER_END_MS,
  RunnerNotServedError,
  type OpenContext,
  toStartError,
  type StartedContainer,
  waitForRunner,
} from "./container/started-container.ts";
import { profileFile, systemCallProfile } from "./container/system-call-profile.ts";
import { Engine, EngineError, findEngineSocket, hasEngine } from "./engine/engine.ts";
import { createHostUsrImage, HOST_USR_IMAGE, hostUsrMounts, isHostUsrImage } from "./host-usr-image.ts";
import { openDetached } from "./open-detached.ts";
import { probeDocker } from "./probe.ts";

/**
 * Configures {@link createDockerBackend}.
 *
 * @example
 * ```ts
 * import type { DockerOptions } from "@haft/sandbox";
 * const options: DockerOptions = { image: "node:22-bookworm-slim", runners: ["image-node"], startMs: 30_000 };
 * ```
 */
export interface DockerOptions {
  /** Sets the path of the Engine's socket. Default: `DOCKER_HOST`, else the first usual socket that exists. */
  socketPath?: string;
  /** Names the image for specifications without one. Default: {@link HOST_USR_IMAGE}, which is built if it is missing. */
  image?: string;
  /** Lists kinds of runners in the order of trial. */
  runners?: readonly DockerRunner[];
  /** Contains copies of Node and the init, which commands cannot read. Default: a folder of this user. */
  cacheFolder?: string;
  /** Limits one answer of the Engine, in milliseconds. Default 15,000. */
  answerMs?: number;
  /** Limits the time to the first message of a runner, in milliseconds. Default 15,000. Setup scripts have ten minutes. */
  startMs?: number;
}

/** Commands cannot read the copied Node, nor memory of its processes. */
const GUARDED_FIRST: readonly DockerRunner[] = ["host-node", "image-node"];
const WAYS: Readonly<Record<DockerRunner, string>> = {
  "image-node": "its own Node",
  "host-node": "the Node of this machine",
  "image-shell": "its shell",
};
/** A created container that never started has a dead host. */
const NEVER_STARTED_MS = 60_000;
/**
 * Creates a backend that opens sandboxes through the socket of Docker's Engine, without the `docker` program. The runner is the main
 * process of a container without network, capabilities or a writable system. The container ends with the host, however it ends. Detached
 * containers continue until they are idle or too old.
 *
 * - Commands run as the owner of the workspace. If that is root, they have no capabilities. They can open root's files only in the
 *   workspace and the image's `/usr`.
 * - The socket of the Engine, system folders and the shared temporary folder are never mounted.
 * - Images are never pulled.
 *
 * @example
 * ```ts
 * import { createDockerBackend } from "@haft/sandbox";
 * const backend = createDockerBackend({ image: "node:22-bookworm-slim" });
 * for (const ref of await backend.list()) if (ref.state === "stopped") await backend.destroy(ref);
 * await backend.close?.();
 * ```
 */
export function createDockerBackend(options: DockerOptions = {}): SandboxBackend {
  requireKnownOptions<DockerOptions>("createDockerBackend", options, {
    socketPath: true,
    image: true,
    runners: true,
    cacheFolder: true,
    answerMs: true,
    startMs: true,
  });
  return new DockerBackend(options);
}

class DockerBackend implements SandboxBackend {
  readonly id = "docker";
  readonly #options: DockerOptions;
  #engine: Engine | undefined;
  readonly #worked = new Map<string, RunnerStart>();
  readonly #cacheFolder: string;
  #init: Promise<string | undefined> | undefined;

  constructor(options: DockerOptions) {
    this.#options = options;
    this.#cacheFolder = options.cacheFolder ?? getDefaultCacheFolder();
  }

  probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const image = this.#options.image ?? HOST_USR_IMAGE;
    const isGuarded = (): boolean => this.#worked.get(image)?.guarded === true;
    return probeDocker(this, () => this.#reach(), image, isGuarded, signal);
  }

  async open(given: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    const isAborted = (): boolean => signal?.aborted === true;
    if (isAborted()) throw abortedError(this.id);
    if (typeof given.network === "object") throw hostListUnsupportedError(dockerError);
    const engine = this.#reach();
    const mounts = checkMounts(given, engine.socketPath);
    const name = given.image ?? this.#options.image ?? HOST_USR_IMAGE;
    try {
      const { id: image, volumes } = await this.#imageOf(name, signal);
      await this.#forget();
      const ways = await this.#howItMounts();
      const { hostFolders, readOnlyMode, isPodman } = ways;
      const text = systemCallProfile();
      const profile = isPodman && text !== undefined ? await profileFile(text, this.#cacheFolder) : text;
      const spec = hostFolders ? withCheckedSetup(given) : given;
      const shown = isHostUsrImage(name) ? hostUsrMounts() : [];
      const below = hostFolders ? listReadOnlySubmounts(mounts, shown) : [];
      const createdAt = Date.now();
      const opening: OpenContext = {
        containers: this.#containers,
        spec,
        mounts,
        image,
        createdAt,
        config: (start, command) => {
          const system = [
            ...shown.map((path) => ({ source: path, target: path })),
            ...(readOnlyMode === "one-by-one" ? below : []),
          ];
          const more = { image, volumes, createdAt, command, start, profile, engine: ways };
          return containerConfig({ spec, mounts, system, ...more });
        },
        tryRunners: (attempt, only) => this.#inTurn(name, attempt, only),
        startMs: this.#options.startMs ?? DOCKER_START_MS,
        signal,
      };
      const opened =
        spec.lifetime === "tethered"
          ? openTethered(opening)
          : openDetached(opening, resolveLifetime(spec.lifetime));
      const connection = await opened.catch((thrown: unknown) => {
        const mount = below.find(({ source }) => getErrorMessage(thrown).includes(source));
        throw mount === undefined ? thrown : submountRefusedError(mount.source, thrown);
      });
      const held = (spec.protectedPaths ?? []).filter(({ access }) => access === "ro");
      const readOnly = [
        ...[...shown, "/opt/haft", ...held.map(({ path }) => path)].map((path) => ({ path })),
        ...below.map(({ readOnlyPath }) => readOnlyPath),
      ];
      return { ...connection, hostFolders, readOnly, protectsPaths: true, masksSockets: true };
    } catch (thrown) {
      if (isAborted()) throw abortedError(this.id);
      if (HaftError.is(thrown)) throw thrown;
      const fix = "Read the message of the Engine, or test an ordinary sandbox with `haft sandbox doctor`.";
      throw dockerError("SANDBOX_START_FAILED", getErrorMessage(thrown), fix, { cause: thrown });
    }
  }

  async list(): Promise<SandboxRef[]> {
    if (this.#options.socketPath === undefined && !hasEngine()) return [];
    await this.#forget();
    return (await this.#containers.list()).map(toSandboxRef);
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

  readonly #howItMounts = lazy(() => inspectEngine(this.#reach()));

  get #containers(): Containers {
    return new Containers(this.#reach());
  }

  async #imageOf(image: string, signal: AbortSignal | undefined): Promise<{ id: string; volumes: string[] }> {
    if (isHostUsrImage(image)) {
      const { isPodman } = await this.#howItMounts();
      await createHostUsrImage(this.#reach(), isPodman, signal);
      return { id: image, volumes: [] };
    }
    try {
      const path = `/images/${encodeURIComponent(image)}/json`;
      type Image = { Id: string; Config?: { Volumes?: object | null } | null };
      const { Id, Config } = await this.#reach().call<Image>("GET", path, { signal });
      return { id: Id, volumes: Object.keys(Config?.Volumes ?? {}) };
    } catch (thrown) {
      if (thrown instanceof EngineError && [400, 404].includes(thrown.status)) {
        const message = `Docker has no image ${JSON.stringify(image)}, and Haft never pulls images.`;
        const fix = `Pull it with \`docker pull ${image}\`, build it, or use the image "haft/host-usr", which needs no registry.`;
        const details = { backend: this.id, image, reason: "image-missing" };
        throw sandboxError("SANDBOX_START_FAILED", message, { fix, details });
      }
      throw thrown;
    }
  }

  async #forget(): Promise<void> {
    const now = Date.now();
    const left = (await this.#containers.list()).filter(({ State, Labels }) => {
      const until = Number(Labels["haft.until"] ?? Number.POSITIVE_INFINITY);
      const isOrphan = Labels["haft.detached"] !== "1" && isHostGone(Labels[HOST_LABEL] ?? "");
      const neverStarted = State === "created" && now - Number(Labels["haft.created"]) > NEVER_STARTED_MS;
      return now > until || isOrphan || neverStarted;
    });
    await Promise.all(left.map(({ Id }) => this.#containers.remove(Id).catch(() => false)));
  }

  async #inTurn<T>(
    image: string,
    attempt: (start: RunnerStart) => Promise<T>,
    only: string | undefined,
  ): Promise<T> {
    const runners = this.#options.runners ?? (isHostUsrImage(image) ? GUARDED_FIRST : DOCKER_RUNNERS);
    const known = this.#worked.get(image)?.runner;
    const tried: string[] = [];
    const inOrder = runners.toSorted((one, other) => Number(other === known) - Number(one === known));
    for (const runner of only === undefined ? inOrder : runners.filter((one) => one === only)) {
      try {
        return await this.#withInit(async (initPath) => {
          const start = await createRunnerStart(runner, initPath, this.#cacheFolder);
          const result = await attempt(start);
          this.#worked.set(image, start);
          return result;
        });
      } catch (thrown) {
        if (!(thrown instanceof RunnerNotServedError)) throw thrown;
        tried.push(`${WAYS[runner]}: ${thrown.message}`);
      }
    }
    const message = `The image ${JSON.stringify(image)} cannot run Haft's runner: ${tried.join("; ")}.`;
    const fix =
      "Use an image with Node 20 or later, with glibc (for this machine's Node), or with a POSIX shell.";
    throw noRunnerError(this.id, message, fix, { image, tried });
  }

  async #withInit<T>(attempt: (path: string | undefined) => Promise<T>): Promise<T> {
    const path = await (this.#init ??= stageInit(this.#cacheFolder));
    try {
      return await attempt(path);
    } catch (thrown) {
      if (
        path === undefined ||
        ![path, CONTAINER_INIT_PATH].some((one) => getErrorMessage(thrown).includes(one))
      )
        throw thrown;
      this.#init = Promise.resolve(undefined);
      return attempt(undefined);
    }
  }
}

async function openTethered(opening: OpenContext): Promise<SandboxConnection> {
  const { containers, spec, config, createdAt, signal } = opening;
  const started = await opening.tryRunners(async (start): Promise<StartedContainer> => {
    const name = `haft-${randomBytes(8).toString("hex")}`;
    try {
      const id = await containers.create(
        name,
        config(start, wrapWithSetup(start, spec.setup, start.command)),
      );
      signal?.throwIfAborted();
      const exit = containers.wait(id);
      const stream = await containers.attach(id, signal);
      const found: StartedContainer = { id, createdAt, stream, start, exit: () => exit };
      try {
        await containers.start(id, spec.limits.memoryMb).catch((thrown: unknown) => {
          throw toStartError(thrown);
        });
        await waitForRunner(found, opening);
      } catch (thrown) {
        stream.destroy();
        throw thrown;
      }
      return found;
    } catch (thrown) {
      await containers.remove(name).catch(() => false);
      throw thrown;
    }
  });
  const { id, stream } = started;
  return createContainerConnection(opening, started, async (ended) => {
    // A destroyed stream never reports the runner's end.
    const patienceMs = stream.destroyed ? 0 : DOCKER_END_MS;
    stream.end();
    stream.resume();
    const exitCode = await withTimeout(started.exit(), patienceMs);
    try {
      // Commands can end the stream alone.
      await containers.remove(id);
    } catch (thrown) {
      if (exitCode === undefined) throw thrown;
    } finally {
      stream.destroy();
      await withTimeout(ended, DOCKER_END_MS);
    }
  });
}
