import { getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { realpathSync } from "node:fs";
import type { SandboxBackend, SandboxConnection, SandboxLimits, SandboxSpec } from "../backend.ts";
import { OFFERED_LIMITS } from "../defaults.ts";
import { sandboxError } from "../errors.ts";
import { SandboxHostSockets } from "../host-sockets/sandbox-host-sockets.ts";
import { withMountIdentities } from "../mounts/mounted-folders.ts";
import { excludeMountedPrograms } from "../programs/host-programs.ts";
import { checkSpec } from "../session/check-spec.ts";
import type { OfferedWorkspace, WorkspaceRequest } from "./offered-workspace.ts";

/**
 * Configures {@link offerWorkspace}.
 *
 * @example
 * ```ts
 * import type { OfferWorkspaceOptions } from "@haft/sandbox";
 * const options: OfferWorkspaceOptions = {
 *   name: "firmware",
 *   description: "The firmware project, with its cross compiler.",
 *   folder: "/home/ada/firmware",
 *   access: "rw",
 *   limits: { memoryMb: 2048 },
 * };
 * ```
 */
export interface OfferWorkspaceOptions {
  /** Names the workspace: lower-case letters, digits and `-`. */
  name: string;
  /** Informs the operator who approves it. */
  description: string;
  /** Sets the absolute path, which must exist when a host opens it. */
  folder: string;
  /** `rw` allows changes. Default `ro`. */
  access?: "ro" | "rw";
  /** Sets the network of commands. Default `none`. */
  network?: "none" | "full";
  /** Limits all commands together. Default: as for other sandboxes. A host may request less. */
  limits?: Partial<SandboxLimits>;
  /** Sets the user of commands. Default: the owner of the folder. */
  user?: SandboxSpec["user"];
}

const POLL_MS = 1_000;

/**
 * Offers a folder of this machine to hosts, for the `workspaces` of a node. Each host gets its own sandbox. This machine enforces the
 * limits, independent of the host's request.
 *
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { createNode } from "@haft/nodes";
 * import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
 * const description = "The firmware project.";
 * const folder = "/home/ada/firmware";
 * const firmware = offerWorkspace(createBubblewrapBackend(), { name: "firmware", description, folder });
 * const node = createNode({ id: "workshop", commands: [], workspaces: [firmware] });
 * ```
 */
export function offerWorkspace(backend: SandboxBackend, options: OfferWorkspaceOptions): OfferedWorkspace {
  requireKnownOptions<OfferWorkspaceOptions>("offerWorkspace", options, {
    name: true,
    description: true,
    folder: true,
    access: true,
    network: true,
    limits: true,
    user: true,
  });
  const { name, description, access = "ro", network = "none" } = options;
  checkSpec(specOf(options, { hostId: "", access, network, limits: {} }));
  const first = realOf(options.folder);
  return {
    name,
    description,
    access,
    network,
    isolation: backend.id,
    async open(wanted, signal) {
      const spec = withMountIdentities(specOf(options, wanted));
      if (wanted.access !== "none") checkFolder(options.folder, first);
      excludeMountedPrograms(spec);
      const hostSockets = new SandboxHostSockets(spec);
      const { covered } = await hostSockets.scan();
      const connection = await backend.open(
        { ...spec, ...(covered.length > 0 && { maskedSockets: covered }) },
        signal,
      );
      if (covered.length > 0 && connection.masksSockets !== true) {
        await connection.close();
        throw sandboxError("SANDBOX_UNSUPPORTED", `${backend.id} cannot mask ${covered[0]!.hostPath}.`);
      }
      return served(connection, () => hostSockets.checkExposed(covered));
    },
  };
}

/** Ends when a socket of the machine opens in its folder, because starts of commands are not visible here. */
function served(connection: SandboxConnection, check: () => void) {
  let exposed: string | undefined;
  const timer = setInterval(() => {
    try {
      check();
    } catch (thrown) {
      clearInterval(timer);
      exposed = getErrorMessage(thrown);
      void connection.close();
    }
  }, POLL_MS).unref();
  if (connection.hostFolders !== true) clearInterval(timer);
  const { stream, mounts, runner, inherit } = connection;
  return {
    stream,
    mounts: mounts.slice(0, 1),
    ...(runner !== undefined && { runner }),
    ...(inherit !== undefined && { inherit }),
    ended: connection.ended.then((end) => {
      clearInterval(timer);
      return exposed === undefined ? end : { ...end, why: exposed };
    }),
    close: () => connection.close(),
  };
}

function specOf(
  { folder, limits: offered = {}, user }: OfferWorkspaceOptions,
  { hostId, access, network, limits }: WorkspaceRequest,
): SandboxSpec {
  return {
    key: hostId,
    scope: "session",
    workspace: access,
    mounts: access === "none" ? [] : [{ name: "", hostPath: folder, path: "/workspace", access }],
    env: {},
    network,
    limits: lowest({ ...OFFERED_LIMITS, ...offered }, limits),
    lifetime: "tethered",
    ...(user !== undefined && { user }),
  };
}

/** 0 means no limit of `cpus`. */
function lowest(offered: SandboxLimits, requested: Readonly<Record<string, number>>): SandboxLimits {
  const least = (name: keyof SandboxLimits): number => {
    const request = requested[name];
    if (request === undefined || !(request > 0)) return offered[name];
    return offered[name] === 0 ? request : Math.min(offered[name], request);
  };
  return {
    memoryMb: least("memoryMb"),
    tasks: Math.max(1, Math.floor(least("tasks"))),
    cpus: least("cpus"),
    fileMb: least("fileMb"),
    tmpMb: least("tmpMb"),
  };
}

function checkFolder(folder: string, first: string | undefined): void {
  const now = realOf(folder);
  const why =
    now === undefined
      ? "the folder no longer exists"
      : first !== undefined && now !== first
        ? "it leads to another folder than at the creation of the node"
        : undefined;
  if (why === undefined) return;
  throw sandboxError("SANDBOX_MOUNT_REFUSED", `The folder of the workspace is not mounted: ${why}.`, {
    fix: "Check the folder on the node.",
  });
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
