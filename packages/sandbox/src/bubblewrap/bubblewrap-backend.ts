import { requireKnownOptions } from "@haft/core/internal";
import { type HostProgram, runProgram, safePath, requireUnchangedProgram } from "@haft/system";
import type { SandboxBackend, SandboxProbe, SandboxSpec } from "../backend.ts";
import { bubblewrapError, hostListUnsupportedError, detachedUnsupportedError } from "../errors.ts";
import { type SandboxIdentity, identityFor } from "../isolation/identity.ts";
import type { LaunchedProcess } from "../launch/launched-process.ts";
import { type LaunchContext, SupervisedBackend } from "../launch/supervised-backend.ts";
import { withCheckedSetup } from "../mounts/mounted-folders.ts";
import {
  withCodedErrors,
  excludeMountedPrograms,
  findBackendProgram,
  findHostShell,
} from "../programs/host-programs.ts";
import { getDefaultCacheFolder, stageNode } from "../programs/stage-node.ts";
import { deviceNodes } from "./device-nodes.ts";
import { explainFailure, type FailedStart } from "./explain-failure.ts";
import { launchBubblewrap, type OpenedBubblewrap } from "./launch.ts";
import { type BubblewrapProfile, buildProfile } from "./profile.ts";
import { systemCallFilter } from "./seccomp.ts";

/**
 * Configures {@link createBubblewrapBackend}.
 *
 * @example
 * ```ts
 * import type { BubblewrapOptions } from "@haft/sandbox";
 * const options: BubblewrapOptions = { bwrap: "/usr/local/bin/bwrap", system: ["/nix/store", "/opt/toolchain"] };
 * ```
 */
export interface BubblewrapOptions {
  /** Sets the absolute path of the program, outside workspaces; only this user or root may change it. Default: `bwrap` of the PATH. */
  bwrap?: string;
  /** Adds folders of the host, read-only at the same path: `/nix/store`, `/opt/toolchain`. */
  system?: readonly string[];
  /** Contains records of open sandboxes. Default: a private folder in the temporary folder. */
  stateFolder?: string;
  /** Contains the copy of Node for sandboxes, and devices if needed. Default: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
  /** Returns the runner for sandboxes: an ES module for Node that communicates over its standard streams. Default: Haft's own. */
  runner?: () => Promise<{ source: string }>;
  /** Filters system calls (default true). Set `false` for programs that need a refused call. */
  filter?: boolean;
}

const ID = "bubblewrap";
/**
 * Creates a backend that opens sandboxes with bubblewrap: namespaces around a read-only system and the mounts of the specification. It
 * needs Linux with unprivileged user namespaces, or root. The sandboxes end with the host, however it ends.
 *
 * - Commands run as the owner of the workspace, without capabilities and without a way to get any.
 * - `network: "none"` leaves a private loopback. `"full"` shares the host's network, including services on its loopback and its abstract
 *   sockets.
 * - Limits hold if this user may create a control group; {@link SandboxBackend.probe} reports them.
 *
 * @example
 * ```ts
 * import { createBubblewrapBackend } from "@haft/sandbox";
 * const backend = createBubblewrapBackend();
 * const { available, reason, fix } = await backend.probe();
 * if (!available) console.error(reason, fix);
 * ```
 */
export function createBubblewrapBackend(options: BubblewrapOptions = {}): SandboxBackend {
  requireKnownOptions<BubblewrapOptions>("createBubblewrapBackend", options, {
    bwrap: true,
    system: true,
    stateFolder: true,
    cacheFolder: true,
    runner: true,
    filter: true,
  });
  return new BubblewrapBackend(options);
}

class BubblewrapBackend extends SupervisedBackend<OpenedBubblewrap> {
  readonly #options: BubblewrapOptions;

  constructor(options: BubblewrapOptions) {
    super(ID, bubblewrapError, options.stateFolder);
    this.#options = options;
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const { probeBubblewrap } = await import("./probe.ts");
    return probeBubblewrap(
      () => this.#findBwrap(),
      (spec) => this.opened(spec, signal),
      signal,
    );
  }

  protected async start(spec: SandboxSpec, signal: AbortSignal | undefined): Promise<OpenedBubblewrap> {
    excludeMountedPrograms(spec);
    const bwrap = this.#findBwrap();
    if (bwrap === undefined) throw notInstalled();
    const shell = findHostShell(bubblewrapError);
    if (typeof spec.network === "object") throw hostListUnsupportedError(bubblewrapError);
    if (spec.lifetime !== "tethered") throw detachedUnsupportedError(bubblewrapError);
    const identity = identityFor(spec, bubblewrapError);
    const filter = this.#options.filter === false ? undefined : systemCallFilter();
    if (filter === undefined && identity.root) throw needsFilter();
    const { cacheFolder = getDefaultCacheFolder(), runner = haftRunner } = this.#options;
    const [privately, node, program, devices] = await Promise.all([
      privateMounts(identity),
      stageNode(cacheFolder),
      runner(),
      identity.root ? deviceNodes(cacheFolder) : undefined,
    ]);
    const { limits, setup } = withCheckedSetup(spec);
    let mounts: BubblewrapProfile["mounts"] = [];
    const start = (options: LaunchContext): LaunchedProcess => {
      const { system = [] } = this.#options;
      const { files, group } = options;
      const profile = buildProfile({
        spec,
        identity,
        node: node.path,
        program: program.source,
        filter,
        devices,
        memory: group.memoryFiles(),
        system,
        files,
      });
      ({ mounts } = profile);
      return withCodedErrors(() =>
        launchBubblewrap({
          ...options,
          shell,
          bwrap,
          unshareCommand: privately,
          argv: profile.argv,
          identity,
          limits,
          setup,
        }),
      );
    };
    const explain = (failed: Omit<FailedStart, "bwrap">): Error =>
      explainFailure({ ...failed, bwrap: bwrap.path });
    const { tethered, holds } = await this.launch(spec, { start, explain }, signal);
    const network = spec.network === "full" ? "full" : "none";
    return {
      connection: { ...tethered, mounts, facts: { mount: spec.workspace, network } },
      controllers: holds,
      filtered: filter !== undefined,
      guarded: node.guarded,
      propagatesMounts: privately.length === 0,
    };
  }

  #findBwrap(): HostProgram | undefined {
    return findBackendProgram("bwrap", bubblewrapError, {
      path: this.#options.bwrap,
      option: 'the option "bwrap"',
    });
  }
}

async function haftRunner(): Promise<{ source: string }> {
  const { runnerProgram } = await import("@haft/workspace/internal/wire");
  return runnerProgram();
}

/** Bubblewrap receives later mounts of its parent namespace; this one gets none. */
const PRIVATE = ["--user", "--map-root-user", "--mount", "--propagation", "private", "--"];
const tried = new Map<string, Promise<boolean>>();

async function privateMounts({ drop }: Pick<SandboxIdentity, "drop">): Promise<readonly string[]> {
  const program = findBackendProgram("unshare", bubblewrapError);
  if (program === undefined) return [];
  const words = [withCodedErrors(() => requireUnchangedProgram(program)), ...PRIVATE];
  const key = `${words[0]} ${drop?.uid}`;
  const works =
    tried.get(key) ??
    runProgram(program, [...PRIVATE, "true"], { ...drop, cwd: "/", env: { PATH: safePath() } }).then(
      ({ failure }) => failure === undefined,
    );
  tried.set(key, works);
  return (await works) ? words : [];
}

function needsFilter(): Error {
  return bubblewrapError(
    "SANDBOX_UNSUPPORTED",
    "its workspace belongs to root, and without the filter of system calls, commands could create setuid programs of root",
    "Give the workspace to another user (chown -R), or leave the filter on.",
  );
}

function notInstalled(): Error {
  return bubblewrapError(
    "SANDBOX_UNAVAILABLE",
    process.platform === "linux" ? "the program bwrap is not installed" : "bubblewrap is for Linux",
    process.platform === "linux"
      ? "Install the package bubblewrap, 0.8 or newer (apt install bubblewrap, dnf install bubblewrap)."
      : "Use the Docker backend.",
  );
}
