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
 * Configures the sandboxes of a host or session. Every setting has a default.
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
   * Sets the backend: an object of the caller, or a name. `auto` takes the first of bubblewrap and Docker that works here, and
   * sandbox-runtime if `network` is a list of hosts; it never takes the host. With `node`, a workspace on another machine and its sandbox
   * replace the folder of this host. Default `auto`.
   */
  backend?: "auto" | BuiltInBackend | "node" | SandboxBackend;
  /** With `backend: "node"`: selects the node, by id or name. Default: the only node that offers such a workspace. */
  node?: string;
  /** With `backend: "node"`: selects the workspace. Default: the only approved workspace. */
  workspace?: string;
  /**
   * Sets who shares a sandbox: `session` one session, `agent` all sessions of an agent, `shared` all sessions of this folder. Default
   * `session`.
   */
  scope?: SandboxScope;
  /**
   * Sets how the workspace folder is mounted: `none`, `ro` or `rw`. With `none` the session works in a private folder that ends with the
   * sandbox. Default `none`.
   */
  workspaceAccess?: SandboxSpec["workspace"];
  /** Adds folders of the host: `name:path`. The roots of sessions on the host are not visible. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** Sets what commands reach. Only sandbox-runtime enforces a list of hosts. Default `none`. */
  network?: SandboxSpec["network"];
  /** Limits memory, processors and other resources. Each limit has a default. */
  limits?: Partial<SandboxLimits>;
  /** Names the image, for backends that use images. */
  image?: string;
  /** Sets variables of commands. Variables of the host are not passed on. */
  env?: Readonly<Record<string, string>>;
  /** Runs a shell script once, before everything else. If it fails, the session is not opened. */
  setup?: string;
  /** Sets the user of commands, never root of the host. Default: the owner of the workspace. */
  user?: { uid: number; gid: number };
  /**
   * `tethered`: the sandbox ends with this process. With an object, Docker keeps it for later processes. It is removed after `idleMs`
   * milliseconds without use (default one hour), or `maxAgeMs` after its start (default seven days). Default `tethered`.
   */
  lifetime?: SandboxSpec["lifetime"];
}

/** Names a built-in backend. */
export type BuiltInBackend = "bubblewrap" | "docker" | "sandbox-runtime";
export const BUILT_IN_BACKENDS: readonly BuiltInBackend[] = ["bubblewrap", "docker", "sandbox-runtime"];

/** Returns the backends to try, in order. Only Docker supports images, only sandbox-runtime lists of hosts. */
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

/** Settings of a session replace settings of its host. */
export function mergeSettings(host: SandboxSettings, session: SandboxSettings = {}): SandboxSettings {
  // An undefined value must not hide an earlier value.
  const given = withoutUndefined<SandboxSettings>;
  const givenLimits = withoutUndefined<Partial<SandboxLimits>>;
  const limits = { ...givenLimits(host.limits ?? {}), ...givenLimits(session.limits ?? {}) };
  return { ...given(host), ...given(session), ...(Object.keys(limits).length > 0 ? { limits } : {}) };
}

/** Limits the limits. Omitted limits are unchanged. */
export type SandboxCaps = Partial<SandboxLimits>;

export interface FileCaps extends SandboxCaps {
  source: string;
}

/** Returns the settings with each limit lowered to the caps. */
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

/** Formats limits that come only from files: `memoryMb: 1 (in FILE)`. */
export function describeFileLimits(settings: SandboxSettings, caps: readonly FileCaps[]): string[] {
  const merged = { ...DEFAULT_LIMITS, ...withoutUndefined<SandboxCaps>(settings.limits ?? {}) };
  const { limits = {} } = applyCaps(settings, caps);
  return Object.entries(limits).flatMap(([name, value]) => {
    const key = name as keyof SandboxLimits;
    const cap = value === merged[key] ? undefined : caps.find((each) => each[key] === value);
    return cap === undefined ? [] : [`${name}: ${value} (in ${cap.source})`];
  });
}

export function toSandboxFacts({
  workspaceAccess = "none",
  network = "none",
}: SandboxSettings): SandboxFacts {
  return { mount: workspaceAccess, network: typeof network === "object" ? "limited" : network };
}

/** Returns whether this is an open sandbox instead of settings. */
export function isSandboxWorkspace(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return "fs" in sandbox && typeof (sandbox as Workspace).describe === "function";
}
