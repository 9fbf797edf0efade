import type { Workspace } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import type {
  SandboxBackend,
  SandboxSpec,
  SandboxWorkspace,
  SandboxLimits,
  SandboxScope,
} from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";

/**
 * The sandboxes of a host, or of one session. Everything has a default.
 *
 * @example
 * ```ts
 * import type { SandboxSettings } from "@haft/config";
 * const sandbox: SandboxSettings = {
 *   backend: "docker",
 *   image: "node:24-slim",
 *   workspaceAccess: "rw",
 *   limits: { memoryMb: 2048 },
 *   setup: "npm ci",
 * };
 * ```
 */
export interface SandboxSettings {
  /**
   * The backend: one of the caller, or a built-in one by name. `auto` takes the first of bubblewrap and Docker that works here, and
   * sandbox-runtime where `network` is a list of hosts; it never takes the host. With `node` the sandbox is that of a workspace on
   * another machine, and the folder of that workspace replaces that of this host. Default `auto`.
   */
  backend?: "auto" | BuiltInBackend | "node" | SandboxBackend;
  /** With `backend: "node"`: the node of the host, by id or name. Default: the only one that offers such a workspace. */
  node?: string;
  /** With `backend: "node"`: the workspace of that node. Default: the only one that was approved. */
  workspace?: string;
  /**
   * Who shares a sandbox: `session` one session, `agent` all sessions of an agent, `shared` all sessions of this folder. Default
   * `session`.
   */
  scope?: SandboxScope;
  /**
   * How the workspace folder is mounted inside: `none`, `ro` or `rw`. With `none` it is not mounted, and the session works in a private
   * folder that ends with the sandbox. Default `none`.
   */
  workspaceAccess?: SandboxSpec["workspace"];
  /** Further folders of the host, with the address `name:path`. The roots of sessions on the host are not visible inside. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** What commands reach. Only sandbox-runtime enforces a list of hosts. Default `none`. */
  network?: SandboxSpec["network"];
  /** Limits for memory, processors and the like. Each has a default. */
  limits?: Partial<SandboxLimits>;
  /** The image, for backends that use images. */
  image?: string;
  /** Variables of commands. Variables of the host are not passed on. */
  env?: Readonly<Record<string, string>>;
  /** A shell script that runs inside once, before everything else. When it fails, the session is not opened. */
  setup?: string;
  /** The user of commands. It is never root of the host. Default: the owner of the workspace. */
  user?: { uid: number; gid: number };
  /**
   * `tethered`: the sandbox ends with this process, however that ends. `detached`: it goes on, and later processes find it. Default
   * `tethered`.
   */
  lifetime?: SandboxSpec["lifetime"];
}

/** Names of the built-in backends of sandboxes. */
export type BuiltInBackend = "bubblewrap" | "docker" | "sandbox-runtime";
export const BUILT_IN_BACKENDS: readonly BuiltInBackend[] = ["bubblewrap", "docker", "sandbox-runtime"];

/** Names of what is tried for such settings, in order. Only Docker has images, only sandbox-runtime lists of hosts. */
export function backendNames({
  backend = "auto",
  image,
  network,
}: SandboxSettings): readonly BuiltInBackend[] {
  if (typeof backend !== "string" || backend === "node") return [];
  if (backend !== "auto") return [backend];
  if (image !== undefined) return ["docker"];
  return typeof network === "object" ? ["sandbox-runtime"] : ["bubblewrap", "docker"];
}

export const DEFAULT_LIMITS: SandboxLimits = {
  memoryMb: 1024,
  tasks: 512,
  cpus: 0,
  fileMb: 1024,
  tmpMb: 256,
};

/** What a session says, over what its host says. */
export function mergeSettings(host: SandboxSettings, session: SandboxSettings = {}): SandboxSettings {
  // What is there and undefined says nothing, and must not hide what somebody else said.
  const given = withoutUndefined<SandboxSettings>;
  const givenLimits = withoutUndefined<Partial<SandboxLimits>>;
  const limits = { ...givenLimits(host.limits ?? {}), ...givenLimits(session.limits ?? {}) };
  return { ...given(host), ...given(session), ...(Object.keys(limits).length > 0 ? { limits } : {}) };
}

/** The most that somebody lets sandboxes use. What is left out stays as it is. */
export type SandboxCaps = Partial<SandboxLimits>;

/** The same, as a file says it. */
export interface FileCaps extends SandboxCaps {
  /** The file. */
  source: string;
}

/** The same settings with no limit above what any of these lets pass. */
export function applyCaps(settings: SandboxSettings, caps: readonly SandboxCaps[]): SandboxSettings {
  if (caps.length === 0) return settings;
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined<SandboxCaps>(settings.limits ?? {}) };
  for (const cap of caps) {
    for (const name of Object.keys(limits) as (keyof SandboxLimits)[]) {
      const most = cap[name];
      if (most === undefined) continue;
      const isAll = name === "cpus" && limits.cpus === 0;
      limits[name] = isAll ? most : Math.min(limits[name], most);
    }
  }
  return { ...settings, limits };
}

/** Which limits stand where no settings have them, but these, and which file says so: `memoryMb: 1 (in FILE)`. */
export function describeFileLimits(settings: SandboxSettings, caps: readonly FileCaps[]): string[] {
  const own = { ...DEFAULT_LIMITS, ...withoutUndefined<SandboxCaps>(settings.limits ?? {}) };
  const { limits = {} } = applyCaps(settings, caps);
  return Object.entries(limits).flatMap(([name, value]) => {
    const key = name as keyof SandboxLimits;
    const cap = value === own[key] ? undefined : caps.find((each) => each[key] === value);
    return cap === undefined ? [] : [`${name}: ${value} (in ${cap.source})`];
  });
}

/** What policy may know of such a sandbox. */
export function toSandboxFacts({
  workspaceAccess = "none",
  network = "none",
}: SandboxSettings): SandboxFacts {
  return { mount: workspaceAccess, network: typeof network === "object" ? "limited" : network };
}

/** A sandbox somebody opened already, rather than what one should be like. */
export function isSandboxWorkspace(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return "fs" in sandbox && typeof (sandbox as Workspace).describe === "function";
}
