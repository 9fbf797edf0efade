import type { Workspace } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import type { SandboxBackend, SandboxSpec, SandboxWorkspace } from "@haft/sandbox";
import type { SandboxLimits, SandboxScope } from "@haft/sandbox/internal";
import { withoutUndefined } from "@haft/utils";

/** What the sandboxes of a host, or of one session, are like. Everything has a default. */
export interface SandboxSettings {
  /**
   * What opens them: a backend of its own, a built-in one by name, or `auto` (default): the first of bubblewrap and
   * Docker that works here, or sandbox-runtime where `network` is a list of hosts. Never the host. `node`: the sandbox is that of a
   * workspace on another machine, whose folder takes the place of this one's.
   */
  backend?: "auto" | BuiltInBackend | "node" | SandboxBackend;
  /** With `backend: "node"`: which of the host's nodes, by id or name; the only one that offers such a workspace by default. */
  node?: string;
  /** With `backend: "node"`: the workspace of that node; the only one that was approved by default. */
  workspace?: string;
  /** Who shares one: `session` (default) nobody, `agent` all sessions of an agent, `shared` all of this folder. */
  scope?: SandboxScope;
  /**
   * How the workspace folder is mounted inside. `none` (default): not at all; the session works in a private folder
   * that ends with the sandbox.
   */
  workspaceAccess?: SandboxSpec["workspace"];
  /** More folders of the host, addressed as `name:path`. Those of the host's own sessions are not visible inside. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** What commands reach; `none` by default. A list of hosts is held by sandbox-runtime alone. */
  network?: SandboxSpec["network"];
  /** Bounds on memory, processors and the like; what is left out has its default. */
  limits?: Partial<SandboxLimits>;
  /** For backends with images. */
  image?: string;
  /** Variables of commands. Nothing of the host's environment comes along. */
  env?: Readonly<Record<string, string>>;
  /** A shell script run once inside, before anything else; when it fails, the session is not opened. */
  setup?: string;
  /** Who commands run as; the owner of the workspace by default, never root of the host. */
  user?: { uid: number; gid: number };
  /** `tethered` (default): it ends with this process, whatever happens to it. Detached ones are found again. */
  lifetime?: SandboxSpec["lifetime"];
}

/** Names of the backends that Haft brings. */
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
