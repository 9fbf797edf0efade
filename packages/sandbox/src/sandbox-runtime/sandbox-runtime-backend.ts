import type { Mount } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import {
  type HostProgram,
  builtFile,
  runningNode,
  safePath,
  startProgram,
  requireUnchangedProgram,
} from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxBackend, SandboxLimits, SandboxProbe, SandboxSpec } from "../backend.ts";
import { explainFailure } from "../bubblewrap/explain-failure.ts";
import { runtimeError } from "../errors.ts";
import { buildLimitedStartScript } from "../isolation/control-group.ts";
import { identityFor } from "../isolation/identity.ts";
import { toLaunchedProcess, type LaunchedProcess } from "../launch/launched-process.ts";
import { SANDBOX_MARKER_VARIABLE } from "../launch/marked-processes.ts";
import { type LaunchContext, SupervisedBackend } from "../launch/supervised-backend.ts";
import { withCheckedSetup } from "../mounts/mounted-folders.ts";
import { withCodedErrors, excludeMountedPrograms } from "../programs/host-programs.ts";
import { stageNode } from "../programs/stage-node.ts";
import { quoteShellWord } from "../quote-shell-word.ts";
import {
  createRuntimeConfiguration,
  listRuntimeMounts,
  PROXY_VARIABLES,
  buildStartScript,
} from "./configuration.ts";
import type { KeeperFailure, KeeperOrder } from "./keeper.ts";
import { makeRuntimeFolder, type RuntimeFolder } from "./private-folder.ts";
import type { OpenedRuntime } from "./probe.ts";
import {
  checkRuntimeSupport,
  findInstalledRuntime,
  ID,
  ownerRequiredError,
  PACKAGE,
} from "./requirements.ts";

/**
 * Configures {@link createSandboxRuntimeBackend}.
 *
 * @example
 * ```ts
 * import type { SandboxRuntimeOptions } from "@haft/sandbox";
 * const options: SandboxRuntimeOptions = { stateFolder: "/run/agent/sandboxes", cacheFolder: "/var/cache/agent" };
 * ```
 */
export interface SandboxRuntimeOptions {
  /** Contains records of open sandboxes. Default: a private folder in the temporary folder. */
  stateFolder?: string;
  /** Contains the copy of Node for sandboxes. Default: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
}

/**
 * Creates a backend that opens sandboxes with the package `@anthropic-ai/sandbox-runtime`, which the application installs. It uses
 * bubblewrap on Linux, `sandbox-exec` on macOS, and two proxies that allow only listed hosts. Only this backend supports `network: { allow:
 * [...] }`.
 *
 * - Hosts are names (`example.com`, `*.example.com`, `localhost:8080`). The proxies check a name before they resolve it. Commands find the
 *   proxies in their environment. A program that ignores them has no network.
 * - Folders have the same path inside: the `path` of a mount has no effect.
 * - Each sandbox has a program outside that runs its proxies and ends with the host.
 *
 * The package calls itself a preview and changes often.
 *
 * @example
 * ```ts
 * import { createSandboxRuntimeBackend, openSandbox, type SandboxSpec } from "@haft/sandbox";
 * declare const spec: SandboxSpec;
 * const network = { allow: ["packages.example.com", "*.github.com"] };
 * const workspace = await openSandbox(createSandboxRuntimeBackend(), { ...spec, network });
 * ```
 */
export function createSandboxRuntimeBackend(options: SandboxRuntimeOptions = {}): SandboxBackend {
  requireKnownOptions<SandboxRuntimeOptions>("createSandboxRuntimeBackend", options, {
    stateFolder: true,
    cacheFolder: true,
  });
  return new SandboxRuntimeBackend(options);
}

class SandboxRuntimeBackend extends SupervisedBackend<OpenedRuntime> {
  readonly #options: SandboxRuntimeOptions;

  constructor(options: SandboxRuntimeOptions) {
    super(ID, runtimeError, options.stateFolder);
    this.#options = options;
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const { probeRuntime } = await import("./probe.ts");
    return probeRuntime((spec) => this.opened(spec, signal), signal);
  }

  protected async start(spec: SandboxSpec, signal: AbortSignal | undefined): Promise<OpenedRuntime> {
    checkRuntimeSupport(spec);
    excludeMountedPrograms(spec);
    const installed = findInstalledRuntime();
    const { module, version, seccomp, programs, shell } = installed;
    const { drop, root } = identityFor(spec, runtimeError);
    if (root) throw ownerRequiredError();
    const given = listRuntimeMounts(spec);
    checkHeld(spec);
    const { BOOTSTRAP, RUNNER_FLAGS, runnerProgram, sendProgram } =
      await import("@haft/workspace/internal/wire");
    const [node, { source }] = await Promise.all([stageNode(this.#options.cacheFolder), runnerProgram()]);
    const runner = [node.path, ...RUNNER_FLAGS, "-e", BOOTSTRAP];
    const checked = withCheckedSetup(spec, ({ hostPath }) => hostPath);
    const folder = makeRuntimeFolder((made) => buildStartScript(checked, made, runner), {
      node: node.path,
      owner: drop,
      seccomp,
    });
    const mounts: Mount[] =
      spec.workspace === "none" ? [{ name: "", path: folder.workspace, access: "rw" }, ...given] : given;
    let failure: Promise<KeeperFailure | undefined> | undefined;
    const { tethered, holds } = await this.launch(
      spec,
      {
        folder: folder.path,
        start: (start) => {
          const config = withCodedErrors(() =>
            createRuntimeConfiguration(spec, mounts, folder, installed, node.path),
          );
          const more = { module, config, shell, folder, identity: drop, limits: spec.limits };
          const keeper = withCodedErrors(() => launchKeeper({ ...start, ...more }));
          ({ failure } = keeper);
          sendProgram(keeper.stream, source);
          return keeper;
        },
        explain: async (failed) => {
          const reported = await failure;
          return reported === undefined
            ? explainFailure({ ...failed, bwrap: programs?.bwrap.path ?? "" })
            : explain(reported);
        },
      },
      signal,
    );
    const network = typeof spec.network === "object" ? "limited" : "none";
    const facts = { mount: spec.workspace, network } as const;
    return {
      connection: { ...tethered, mounts, facts, inherit: PROXY_VARIABLES },
      node: node.path,
      socat: programs?.socat.path,
      version,
      controllers: holds,
      filtered: seccomp !== undefined,
      guarded: node.guarded,
    };
  }
}

/** srt does not prevent moves of the folders above. */
function checkHeld({ protectedPaths = [] }: SandboxSpec): void {
  const pinned = protectedPaths.find(({ access }) => access === "rw");
  if (pinned === undefined) return;
  const why = `it cannot prevent moves of ${pinned.hostPath}, which contains files that commands may not change`;
  const fix = "Use bubblewrap or Docker, access ro, or an installation of Haft outside of the workspace.";
  throw runtimeError("SANDBOX_UNSUPPORTED", why, fix);
}

function explain({ failed, message }: KeeperFailure): Error {
  switch (failed) {
    case "module": {
      const why = `the package ${PACKAGE} cannot be loaded: ${message}`;
      return runtimeError("SANDBOX_UNAVAILABLE", why, `Reinstall it: npm install ${PACKAGE}`);
    }
    case "configuration": {
      const fix = "Name hosts without scheme and path: example.com, *.example.com, localhost:8080.";
      return runtimeError("SANDBOX_UNSUPPORTED", `srt does not accept it (${message})`, fix);
    }
    case "start": {
      const fix = "Test the simplest settings with `haft sandbox doctor --sandbox sandbox-runtime`.";
      return runtimeError("SANDBOX_START_FAILED", `srt reported: ${message}`, fix);
    }
  }
}

interface LaunchOptions extends LaunchContext, Pick<KeeperOrder, "module" | "config"> {
  shell: HostProgram;
  folder: RuntimeFolder;
  identity: { uid: number; gid: number } | undefined;
  limits: SandboxLimits;
}

function launchKeeper(
  options: LaunchOptions,
): LaunchedProcess & { failure: Promise<KeeperFailure | undefined> } {
  const { id, module, config, shell, folder, identity, limits, group, entries, files } = options;
  const passed = files.stdio();
  const child = startProgram(runningNode(), ["--no-warnings", program(), String(3 + passed.length)], {
    detached: true,
    cwd: folder.keeper,
    env: {
      PATH: safePath(),
      HOME: folder.home,
      TMPDIR: folder.keeper,
      CLAUDE_CODE_TMPDIR: folder.home,
      [SANDBOX_MARKER_VARIABLE]: id,
    },
    stdio: ["pipe", "pipe", "pipe", ...passed, "pipe"],
  });
  const control = child.stdio[3 + passed.length] as Socket;
  const compiled = getCompileCacheDir();
  const order: KeeperOrder = withoutUndefined({
    module,
    compiled: compiled === undefined ? undefined : dirname(compiled),
    config,
    shell: requireUnchangedProgram(shell),
    command: `unset ${SANDBOX_MARKER_VARIABLE}; exec sh ${quoteShellWord(folder.start)}`,
    around: buildLimitedStartScript(limits, group, entries),
    entries,
    identity,
  });
  control.write(`${JSON.stringify(order)}\n`);
  return { ...toLaunchedProcess(child), failure: failureFrom(control) };
}

function failureFrom(control: Socket): Promise<KeeperFailure | undefined> {
  let received = "";
  control.on("data", (bytes: Buffer) => (received += bytes.toString()));
  return new Promise((resolve) => {
    control.on("error", () => {});
    control.once("close", () =>
      resolve(received === "" ? undefined : (JSON.parse(received) as KeeperFailure)),
    );
  });
}

function program(): string {
  const from = import.meta.url;
  const url = from.endsWith(".ts")
    ? new URL("./keeper.ts", from)
    : builtFile("@haft/sandbox", "keeper.js", from);
  return fileURLToPath(url);
}
