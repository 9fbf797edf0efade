import type { SandboxSettings } from "@haft/config";
import { findProtectedPaths, type GuardedPaths, type ReservedPaths } from "@haft/config/internal/boundary";
import {
  type BuiltInBackend,
  backendNames,
  BUILT_IN_BACKENDS,
  toSandboxFacts,
  isSandboxWorkspace,
  mergeSettings,
  type FileCaps,
  describeFileLimits,
  applyCaps,
} from "@haft/config/internal/settings";
import {
  HaftError,
  getErrorMessage,
  type Logger,
  type Processes,
  type Workspace,
  type ProcessInfo,
  invalidOptions,
} from "@haft/core";
import { type SandboxFacts, mapProcesses } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type {
  SandboxBackend,
  SandboxRef,
  SandboxWorkspace,
  SandboxConnection,
  SandboxProbe,
  SandboxSpec,
  SandboxUsage,
} from "@haft/sandbox";
import { attempt } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { withProcesses, type SessionWorkspace } from "@haft/workspace/internal/places";
import { hostError } from "../errors.ts";
import { loadNodeBackend, loadSandboxBackend, loadSandboxes } from "./load-backend.ts";
import { previewOnNode } from "./preview-on-node.ts";
import { previewWorkspace } from "./preview-workspace.ts";
import { SandboxPool, type SandboxLease } from "./sandbox-pool.ts";
import { readRealPaths, toSandboxSpec, type SandboxOwner } from "./sandbox-spec.ts";

type Owner = Pick<SandboxOwner, "sessionKey" | "agentId">;

export interface SandboxedWorkspace extends SessionWorkspace {
  facts: SandboxFacts;
  network: Network;
  ref: () => SandboxRef;
}

export interface SandboxesOptions {
  logger?: Logger | undefined;
  allowPrivate?: readonly string[] | undefined;
  nodes?: Nodes | undefined;
}

/** Manages a host's sandboxes. The first session that needs a backend loads it. */
export class Sandboxes {
  readonly #settings: SandboxSettings | false;
  readonly #location: Omit<SandboxOwner, keyof Owner>;
  readonly #guarded: GuardedPaths;
  readonly #caps: readonly FileCaps[];
  readonly #options: SandboxesOptions;
  readonly #pool = new SandboxPool(async (backend, spec) => {
    const { openSandbox } = await loadSandboxes();
    const { projectSettings } = this.#guarded;
    const protectedPaths = () => findProtectedPaths(spec, this.#guarded);
    const { logger, allowPrivate } = this.#options;
    const options = { logger, projectSettings, protectedPaths, allowPrivate };
    return openSandbox(backend, spec, withoutUndefined(options));
  });
  readonly #loaded = new Map<string, Promise<SandboxBackend>>();
  #notRemoved: HaftError | undefined;

  constructor(
    settings: SandboxSettings | false,
    {
      guarded,
      ...location
    }: Pick<SandboxOwner, "workspaceDir" | keyof ReservedPaths> & { guarded: GuardedPaths },
    options: SandboxesOptions,
    caps: readonly FileCaps[] = [],
  ) {
    this.#caps = caps;
    this.#settings = settings;
    this.#guarded = guarded;
    const roots = Object.values((settings || {}).roots ?? {}).map(({ path }) => path);
    this.#location = { ...location, realPaths: readRealPaths([location.workspaceDir, ...roots]) };
    this.#options = options;
  }

  async open(
    wanted: SandboxSettings | SandboxWorkspace | undefined,
    owner: Owner,
  ): Promise<SandboxedWorkspace> {
    // The caller closes this sandbox; a session's end only ends its own processes.
    if (wanted !== undefined && isSandboxWorkspace(wanted))
      return {
        facts: wanted.facts,
        network: wanted.network,
        ref: () => wanted.ref,
        ...this.#ofSession(wanted, owner, (processes) => processes.end()),
      };
    const settings = this.#settingsFor(wanted);
    const spec = toSandboxSpec(settings, { ...this.#location, ...owner });
    const lease = await this.#pool.lease(await this.#backendFor(settings), spec).catch((thrown: unknown) => {
      throw this.#withLimits(thrown, wanted);
    });
    return {
      facts: toSandboxFacts(settings),
      network: lease.sandbox.network,
      ref: () => lease.sandbox.ref,
      ...this.#ofSession(lease.sandbox, owner, (processes) => this.#letGo(lease, processes)),
    };
  }

  preview(
    wanted: SandboxSettings | SandboxWorkspace | undefined,
    owner: Owner,
    programs: () => Processes,
  ): { workspace: Workspace; facts: SandboxFacts } {
    if (wanted !== undefined && isSandboxWorkspace(wanted)) return { workspace: wanted, facts: wanted.facts };
    const settings = this.#settingsFor(wanted);
    const spec = toSandboxSpec(settings, { ...this.#location, ...owner });
    const facts = toSandboxFacts(settings);
    if (settings.backend !== "node")
      return { workspace: previewWorkspace(spec, programs, this.#guarded), facts };
    // A preview must not contact another machine.
    const target = attempt(() => this.#options.nodes?.resolveWorkspace(settings));
    const unknown = { ...spec, workspace: "none" } as const;
    return {
      workspace: target
        ? previewOnNode(target, programs)
        : previewWorkspace(unknown, programs, this.#guarded),
      facts,
    };
  }

  opened(): { ref: SandboxRef; use: () => Promise<SandboxUsage> }[] {
    return this.#pool.open.map((sandbox) => ({ ref: sandbox.ref, use: () => sandbox.usage() }));
  }

  /**
   * Closes the backends, after sessions closed their sandboxes.
   *
   * @throws HaftError `SANDBOX_NOT_REMOVED` if a sandbox may still run
   */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#loaded.values(), async (loading) => (await loading).close?.()));
    if (this.#notRemoved !== undefined) throw this.#notRemoved;
  }

  /** Adds limits from a workspace's file, because users rarely look there. */
  #withLimits(thrown: unknown, wanted: SandboxSettings | undefined): unknown {
    if (!HaftError.is(thrown) || thrown.code !== "SANDBOX_START_FAILED") return thrown;
    const limits = describeFileLimits(mergeSettings(this.#settings || {}, wanted), this.#caps);
    if (limits.length === 0) return thrown;
    const { code, category, message, fix, receipt, details } = thrown;
    const where = `The workspace limits it to ${limits.join(", ")}.`;
    return new HaftError(
      code,
      message,
      withoutUndefined({
        category,
        receipt,
        details,
        cause: thrown,
        fix: fix === undefined ? where : `${fix} ${where}`,
      }),
    );
  }

  #settingsFor(wanted: SandboxSettings | undefined): SandboxSettings {
    if (this.#settings !== false) return applyCaps(mergeSettings(this.#settings, wanted), this.#caps);
    throw hostError("SANDBOX_REQUIRED", "The session needs a sandbox, but this host has none.");
  }

  #backendFor(settings: SandboxSettings): SandboxBackend | Promise<SandboxBackend> {
    const { backend } = settings;
    if (typeof backend === "object") return checkedBackend(backend);
    const { node, workspace } = settings;
    if (backend === "node")
      return this.#once(JSON.stringify({ node, workspace }), () =>
        loadNodeBackend(this.#options.nodes, settings),
      );
    const other = node !== undefined ? "node" : workspace !== undefined ? "workspace" : undefined;
    if (other !== undefined)
      throw invalidOptions(
        `sandbox: ${other} is for the backend node alone.`,
        'Add backend: "node", or leave it out.',
      );
    const names = backendNames(settings);
    if (backend === "bubblewrap" && settings.image !== undefined)
      throw hostError(
        "SANDBOX_UNSUPPORTED",
        "bubblewrap has no images: inside are the programs of this machine.",
      );
    if (names.length === 1) return this.#load(names[0]!);
    const row = names.join();
    return this.#once(row, async () =>
      createAutoBackend(await Promise.all(names.map((name) => this.#load(name)))),
    );
  }

  #load(name: BuiltInBackend): Promise<SandboxBackend> {
    return this.#once(name, () => loadSandboxBackend(name));
  }

  #once(name: string, load: () => Promise<SandboxBackend>): Promise<SandboxBackend> {
    let loading = this.#loaded.get(name);
    if (!loading) {
      this.#loaded.set(name, (loading = load()));
      loading.catch(() => this.#loaded.delete(name));
    }
    return loading;
  }

  #ofSession(
    sandbox: SandboxWorkspace,
    { agentId, sessionKey }: Owner,
    end: (processes: ReturnType<typeof filterSessionProcesses>) => Promise<void>,
  ): SessionWorkspace {
    const filtered = filterSessionProcesses(() => sandbox.processes, JSON.stringify([agentId, sessionKey]));
    return {
      workspace: withProcesses(sandbox, () => filtered),
      close: () =>
        end(filtered).catch((thrown: unknown) => {
          // The session ends anyway. `close` of the host reports the sandbox; `haft sandbox list` finds it.
          if (HaftError.is(thrown) && thrown.code === "SANDBOX_NOT_REMOVED") this.#notRemoved = thrown;
          this.#options.logger?.warn(`A sandbox was not closed as it should be: ${getErrorMessage(thrown)}`);
        }),
    };
  }

  async #letGo(lease: SandboxLease, processes: ReturnType<typeof filterSessionProcesses>): Promise<void> {
    try {
      if (!lease.isLast() || lease.sandbox.ref.detached) await processes.end();
    } finally {
      await lease.release();
    }
  }
}

/** Reads members instead of enumerating them, because most backends are class instances. @throws HaftError `INVALID_OPTIONS` */
function checkedBackend(backend: SandboxBackend): SandboxBackend {
  const given: { open?: unknown } = backend;
  if (typeof given.open === "function") return backend;
  throw invalidOptions(
    "sandbox: backend opens no sandboxes: it has no open().",
    `Name one (${["auto", ...BUILT_IN_BACKENDS].join(", ")}), or give one that was made.`,
  );
}

/** Codes after which another backend is tried. */
const CANNOT = new Set(["SANDBOX_UNAVAILABLE", "SANDBOX_UNSUPPORTED"]);

/**
 * Returns a backend that tries several in order, without probes or the host as a fallback. The caller closes
 * the backends.
 *
 * Codes of `open`: `SANDBOX_UNAVAILABLE` with the reason of each, and the codes of the backend that opens.
 */
export function createAutoBackend(backends: readonly SandboxBackend[]): SandboxBackend {
  return {
    id: "auto",
    async open(spec, signal) {
      const failures: { backend: string; error: HaftError }[] = [];
      for (const backend of backends) {
        const opened = await tryToOpen(backend, spec, signal);
        if (!HaftError.is(opened)) return opened;
        failures.push({ backend: backend.id, error: opened });
      }
      throw noneOpens(failures);
    },
    async probe(signal): Promise<SandboxProbe> {
      const probes: SandboxProbe[] = [];
      for (const backend of backends) {
        const probe = await backend.probe(signal);
        if (probe.available) return probe;
        probes.push(probe);
      }
      const reason = probes.map(({ backend, reason: why }) => `${backend}: ${why}`).join(" ");
      const fix = probes.map(({ fix: what }) => what).find(Boolean);
      return withoutUndefined({
        backend: "auto",
        available: false,
        reason,
        fix,
        details: {},
      });
    },
    list: async () => (await Promise.all(backends.map((backend) => backend.list()))).flat(),
    destroy: async (ref) => (await backends.find(({ id }) => id === ref.backend)?.destroy(ref)) ?? false,
  };
}

async function tryToOpen(
  backend: SandboxBackend,
  spec: SandboxSpec,
  signal: AbortSignal | undefined,
): Promise<SandboxConnection | HaftError> {
  try {
    return await backend.open(spec, signal);
  } catch (thrown) {
    if (HaftError.is(thrown) && CANNOT.has(thrown.code)) return thrown;
    throw thrown;
  }
}

function noneOpens(failures: readonly { backend: string; error: HaftError }[]): HaftError {
  const reasons = failures.map(({ backend, error }) => `${backend}: ${error.message}`).join(" ");
  const fixes = failures.flatMap(({ backend, error }) =>
    error.fix === undefined ? [] : [`${backend}: ${error.fix}`],
  );
  return hostError("SANDBOX_UNAVAILABLE", `No sandbox can be opened here. ${reasons}`, {
    fix: `${fixes.join(" ")} haft sandbox doctor explains more. Nothing ran on the host instead.`.trim(),
    details: { backends: failures.map(({ backend, error }) => ({ backend, code: error.code })) },
  });
}

/** Milliseconds between TERM and KILL for a session's remaining processes. */
const END_GRACE_MS = 1_000;

interface SessionProcesses extends Processes {
  end(): Promise<void>;
}

/**
 * Limits a session to its own processes of a shared sandbox. Process ids contain the session, so that a
 * detached sandbox recognizes it after a restart.
 *
 * @param shared called for each access, because the first command, or a lost sandbox, creates the processes
 */
export function filterSessionProcesses(shared: () => Processes, owner: string): SessionProcesses {
  const prefix = `${owner} `;
  const isOfSession = (info: ProcessInfo | undefined) => info?.callerId.startsWith(prefix) ?? false;
  const shown = (info: ProcessInfo) => ({ ...info, callerId: info.callerId.slice(prefix.length) });
  const sessionIds = new Set<string>();
  const require = async (id: string): Promise<Processes> => {
    const processes = shared();
    if (!sessionIds.has(id)) {
      if (!isOfSession(await processes.info(id)))
        throw hostError("PROCESS_NOT_FOUND", `There is no process ${JSON.stringify(id)} in this session.`);
      sessionIds.add(id);
    }
    return processes;
  };
  const list = async () => (await shared().list()).filter(isOfSession);
  const mapped = mapProcesses((id) => (id === undefined ? shared() : require(id)));
  return {
    ...mapped,
    async start(callerId, spec, options) {
      const info = await shared().start(prefix + callerId, spec, options);
      sessionIds.add(info.id);
      return shown(info);
    },
    async info(id) {
      const info = await shared().info(id);
      return info !== undefined && isOfSession(info) ? shown(info) : undefined;
    },
    list: async () => (await list()).map(shown),
    kill: async (id, options) => shown(await mapped.kill(id, options)),
    wait: async (id, options) => shown(await mapped.wait(id, options)),
    async release(id) {
      await mapped.release(id);
      sessionIds.delete(id);
    },
    async end() {
      if (sessionIds.size === 0) return;
      const processes = shared();
      await Promise.all(
        (await list()).map(async ({ id }) => {
          await processes.kill(id, { graceMs: END_GRACE_MS });
          await processes.release(id);
        }),
      );
      sessionIds.clear();
    },
  };
}
