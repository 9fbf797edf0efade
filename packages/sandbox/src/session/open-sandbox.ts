import type { FileSystem, Processes, Workspace, WorkspaceDescription } from "@haft/core";
import { type SandboxFacts, changesFiles, mapFileSystem } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { checkedEnvironment, createHostWorkspace, PROJECT_SETTINGS } from "@haft/workspace";
import { failure, SessionProcesses } from "@haft/workspace/internal/wire";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxRef,
  SandboxSpec,
  SandboxUsage,
} from "../backend.ts";
import { noRunnerError } from "../errors.ts";
import { guardedFiles, createGuardsProvider } from "../mounts/guarded-files.ts";
import { createPathMapping } from "../mounts/path-mapping.ts";
import { sandboxNetwork } from "../network/sandbox-network.ts";
import { checkSpec } from "./check-spec.ts";
import type { OpenSandboxOptions } from "./open-options.ts";
import { SandboxSession } from "./sandbox-session.ts";

/**
 * Describes a workspace inside a sandbox. Arguments may be paths of the host or inside; results have paths inside. If the sandbox is lost,
 * running operations fail with `SANDBOX_LOST`, and the next call reopens it. No operation runs on the host instead.
 *
 * @example
 * ```ts
 * import type { SandboxWorkspace } from "@haft/sandbox";
 * declare const workspace: SandboxWorkspace;
 * const { memoryBytes = 0, tasks = 0 } = await workspace.usage();
 * console.log(workspace.ref.id, `${Math.round(memoryBytes / 1e6)} MB, ${tasks} tasks`);
 * void workspace.ended.then(({ why }) => console.log(`The sandbox ended: ${why}.`));
 * ```
 */
export interface SandboxWorkspace extends Workspace {
  /** Runs processes in the sandbox. */
  readonly processes: Processes;
  /** Connects tools from inside. Sessions ask the policy before each request. */
  readonly network: Network;
  /** States the isolation of commands. */
  readonly facts: SandboxFacts;
  /** Identifies the open sandbox, or the last. */
  readonly ref: SandboxRef;
  /** A shell runner has fewer capabilities. */
  readonly capabilities: SandboxCapabilities;
  /** Unknown values are absent; all are absent for a lost sandbox. */
  usage(): Promise<SandboxUsage>;
  /** Resolves when the current sandbox has ended. */
  readonly ended: Promise<SandboxEnd>;
  /** Ends a tethered sandbox, or only this session's commands in a detached one. Idempotent. */
  close(): Promise<void>;
  /** Calls {@link SandboxWorkspace.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * States the capabilities of a sandbox's runner.
 *
 * @example
 * ```ts
 * import type { SandboxWorkspace } from "@haft/sandbox";
 * declare const workspace: SandboxWorkspace;
 * const { pty, identify } = workspace.capabilities;
 * if (!pty) console.warn("Commands of this sandbox have no terminal.");
 * ```
 */
export interface SandboxCapabilities {
  /** Can read and change files. */
  readonly files: boolean;
  /** Can run commands. */
  readonly processes: boolean;
  /** Can give commands a terminal. */
  readonly pty: boolean;
  /** Can examine programs before they run. */
  readonly identify: boolean;
}

/**
 * Opens a sandbox and the workspace in it.
 *
 * @throws HaftError `INVALID_OPTIONS`, codes of {@link SandboxBackend.open}, `SANDBOX_NO_RUNNER`, `ROOT_INVALID`,
 * `ENVIRONMENT_BLOCKED`
 *
 * @example
 * ```ts
 * import { createBubblewrapBackend, openSandbox, type SandboxSpec } from "@haft/sandbox";
 * declare const spec: SandboxSpec;
 * const workspace = await openSandbox(createBubblewrapBackend(), spec, { maxRunning: 32 });
 * const { id } = await workspace.processes.start("example", { script: "id -u" });
 * await workspace.processes.wait(id);
 * await workspace.close();
 * ```
 */
export async function openSandbox(
  backend: SandboxBackend,
  spec: SandboxSpec,
  options: OpenSandboxOptions = {},
): Promise<SandboxWorkspace> {
  checkSpec(spec, options);
  const network = sandboxNetwork(spec, async () => (await session.open()).runner, options.allowPrivate);
  const variables = checkedEnvironment(spec.env, { operator: true });
  const session = new SandboxSession(backend, spec, options);
  const first = await session.open(options.signal);
  if (!first.runner.capabilities.files) {
    await session.close();
    const fix = "Use an image with Node 20 or later.";
    throw noRunnerError(backend.id, `The runner in the sandbox of ${backend.id} serves no files.`, fix);
  }
  // Paths may differ after a reopening.
  const mappings = new WeakMap<SandboxConnection, (path: string) => string>();
  const inside = (path: string): string => {
    const { connection } = session.last;
    const mapping = mappings.get(connection) ?? createPathMapping(asOpened(spec, connection));
    mappings.set(connection, mapping);
    return mapping(path);
  };
  const files = mapFileSystem(async () => (await session.open()).runner.fs, inside);
  const describe = (): WorkspaceDescription => {
    const { mounts, runner, node } = session.last.connection;
    // A shell can only check before it acts.
    const boundary = runner === "shell" ? "best-effort" : "kernel";
    const where = { cwd: mounts[0]!.path, mounts, boundary } as const;
    if (node === undefined) return { target: "sandbox", ...where };
    // All nodes use the same path, so approvals need the node's name.
    const { id, name, workspace } = node;
    return { target: "node", name: `${id} ${workspace}`, node: { id, name, workspace }, ...where };
  };
  const processes = new SessionProcesses(
    withoutUndefined({
      source: {
        backend: async () => (await session.openForCommand()).processes,
        existing: async () => session.current?.runner.processes,
      },
      target: "sandbox",
      workspace: { fs: files, describe },
      base: async () => ({ ...(await session.open()).runner.env, ...variables }),
      environment: withoutUndefined({ allow: options.allowVariables, set: variables }),
      shell: options.shell,
      records: options.records,
      onStoreFailed: (thrown) => options.logger?.warn("Records of processes cannot be stored.", { thrown }),
    }),
  );
  session.onLost = (why) => processes.loseAll(why);
  const settings = options.projectSettings ?? PROJECT_SETTINGS;
  const withFiles = (plain: typeof files, consent: readonly string[] = []): SandboxWorkspace => ({
    fs:
      settings.length === 0
        ? plain
        : guardedFiles(
            plain,
            createGuardsProvider(settings, consent, () => session.last.connection.mounts),
          ),
    processes,
    network,
    describe,
    withRoot: (name, path) => withFiles(withExtraRoot(plain, name, path), consent),
    withConsent: (approved) => withFiles(plain, [...consent, ...approved]),
    get facts() {
      return session.last.connection.facts;
    },
    get ref() {
      return session.last.connection.ref;
    },
    get capabilities() {
      return session.last.runner.capabilities;
    },
    get ended() {
      return session.last.connection.ended;
    },
    usage: async () => (await session.current?.connection.usage?.()) ?? {},
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session.close(),
  });
  return withFiles(files);
}

/** Another machine has other paths. */
function asOpened({ mounts }: SandboxSpec, opened: SandboxConnection): SandboxSpec["mounts"] {
  const pathOf = (name: string): string | undefined => opened.mounts.find((one) => one.name === name)?.path;
  return mounts.map((mount) => ({ ...mount, path: pathOf(mount.name) ?? mount.path }));
}

/** Adds a root of the host: `name:path`, read-only, invisible to commands. */
function withExtraRoot(files: FileSystem, name: string, folder: string): FileSystem {
  const prefix = `${name}:`;
  const host = createHostWorkspace({
    root: folder,
    rootAccess: "ro",
    credentials: [],
    hardLinks: "refuse",
  });
  const extra = host.fs;
  const root = host.describe().cwd;
  const isExtra = (path: string): boolean => path.startsWith(prefix);
  const mapped = mapFileSystem(
    (operation, paths) => {
      const there = paths.find(isExtra);
      if (there === undefined) return files;
      if (!changesFiles(operation)) return extra;
      throw failure("READ_ONLY", { verb: "change", path: there }, { fix: "Write somewhere else." });
    },
    // Behind `./` every text is a relative path.
    (path) => (isExtra(path) ? `./${path.slice(prefix.length)}` : path),
  );
  return {
    ...mapped,
    async realpath(path) {
      const real = await mapped.realpath(path);
      return isExtra(path) ? prefix + real.slice(root.length).replace(/^\//, "") : real;
    },
  };
}
