import type { SandboxSettings } from "@haft/config";
import {
  containsPath,
  getRealPath,
  getReservedFolders,
  getReservedPatterns,
  temporaryFolders,
  type ReservedPaths,
} from "@haft/config/internal/boundary";
import { backendNames, DEFAULT_LIMITS } from "@haft/config/internal/settings";
import type { HaftError } from "@haft/core";
import type { SandboxSpec, SandboxLimits, SandboxMount } from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";
import { CREDENTIAL_PATTERNS } from "@haft/workspace";
import { createDenyList } from "@haft/workspace/internal/boundary";
import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { hostError } from "../errors.ts";

export const WORKSPACE_IN_SANDBOX = "/workspace";

export interface SandboxOwner extends ReservedPaths {
  workspaceDir: string;
  sessionKey: string;
  agentId: string;
  /** Maps host folders to their real paths at the start, because a link may replace a folder later. */
  realPaths?: ReadonlyMap<string, string>;
}

/**
 * Returns the sandbox to open for a session. Real paths and identities prevent a later replacement of
 * folders.
 *
 * @throws HaftError `SANDBOX_MOUNT_REFUSED`
 */
export function toSandboxSpec(settings: SandboxSettings, owner: SandboxOwner): SandboxSpec {
  const { scope = "session", workspaceAccess = "none", network = "none", lifetime = "tethered" } = settings;
  return withoutUndefined({
    key: keyOf(scope, owner),
    scope,
    workspace: workspaceAccess,
    mounts: mountsOf(settings, owner),
    env: settings.env ?? {},
    network,
    limits: { ...DEFAULT_LIMITS, ...withoutUndefined<Partial<SandboxLimits>>(settings.limits ?? {}) },
    user: settings.user,
    image: settings.image,
    setup: settings.setup,
    lifetime,
  });
}

/**
 * Hashes the name: keys and ids may be private, and container names are visible to others. Projects never
 * share a sandbox, in any scope.
 */
function keyOf(scope: SandboxSpec["scope"], { workspaceDir, sessionKey, agentId }: SandboxOwner): string {
  const of = { session: [agentId, sessionKey], agent: [agentId], shared: [] }[scope];
  const hash = createHash("sha256").update(JSON.stringify([scope, realpathSync(workspaceDir), ...of]));
  return `${scope}-${hash.digest("hex").slice(0, 16)}`;
}

function mountsOf(settings: SandboxSettings, owner: SandboxOwner): SandboxMount[] {
  const { workspaceAccess = "none", roots = {} } = settings;
  const mounts: SandboxMount[] = [];
  // sandbox-runtime shows every folder at its path on the host.
  const moved = backendNames(settings).join() !== "sandbox-runtime";
  if (workspaceAccess !== "none" && settings.backend !== "node") {
    const folder = requireMountable(owner.workspaceDir, owner);
    const path = moved ? WORKSPACE_IN_SANDBOX : folder.hostPath;
    mounts.push({ name: "", ...folder, path, access: workspaceAccess });
  }
  for (const [name, { path, access }] of Object.entries(roots)) {
    if (!/^[A-Za-z][A-Za-z0-9_-]+$/.test(name)) {
      throw refused(path, `its name ${JSON.stringify(name)} is not two or more letters, digits, - or _`);
    }
    const folder = requireMountable(path, owner);
    mounts.push({ name, ...folder, path: moved ? `/mnt/${name}` : folder.hostPath, access });
  }
  checkReadOnly(mounts);
  return mounts;
}

function checkReadOnly(mounts: readonly SandboxMount[]): void {
  for (const { hostPath, access } of mounts) {
    const around = mounts.find((other) => other.access === "rw" && containsPath(other.hostPath, hostPath));
    if (access === "rw" || around === undefined) continue;
    throw refused(hostPath, `it would not be read-only, because ${around.hostPath} around it is not`);
  }
}

/** System folders. They contain no projects, except service homes. */
const SYSTEM = `
  /proc /sys /dev /etc /boot /run /bin /sbin /lib /lib32 /lib64
  /usr/bin /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/include /usr/local /usr/share
  /var/lib /var/log /var/cache /var/spool /var/run
`
  .trim()
  .split(/\s+/);
const COMMON = ["/", "/usr", "/var", "/home", "/root", "/Users"];

/**
 * Returns the real path of a folder that may be mounted. Broader folders (home, temporary files, Haft's
 * state) are refused, because a mount would show credentials that file tools deny.
 */
export function requireMountable(
  path: string,
  { realPaths, ...rest }: SandboxOwner,
): Required<Pick<SandboxMount, "hostPath" | "identity">> {
  const real = getRealPath(path);
  if (real === undefined) throw refused(path, "there is no such folder");
  if ((realPaths?.get(path) ?? real) !== real) throw refused(path, "it leads elsewhere than it did at first");
  const stats = lstatSync(real, { bigint: true, throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) throw refused(path, "there is no such folder");
  const home = getRealPath(homedir()) ?? resolve(homedir());
  const isSystem = (folder: string) => SYSTEM.some((one) => containsPath(getRealPath(one) ?? one, folder));
  const isInHome = containsPath(home, real) && isSystem(home) && !SYSTEM.includes(home);
  if (COMMON.includes(real) || (isSystem(real) && !isInHome)) {
    throw refused(path, `${real} belongs to the system`);
  }
  if (containsPath(real, home)) throw refused(path, "it holds the home folder");
  if (temporaryFolders().some((folder) => containsPath(real, folder))) {
    throw refused(path, "it contains the temporary files of all users");
  }
  const { spoolDir } = rest;
  const spools = spoolDir === undefined ? [] : [getRealPath(spoolDir) ?? resolve(spoolDir)];
  if ([...getReservedFolders(rest), ...spools].some((folder) => containsPath(real, folder))) {
    throw refused(path, "it contains files of Haft");
  }
  const bases = { root: "/", home };
  if (createDenyList(getReservedPatterns(rest), bases).denies(real)) {
    throw refused(path, "it belongs to the files of Haft");
  }
  if (createDenyList(CREDENTIAL_PATTERNS, bases).denies(real)) {
    throw refused(path, "it is, or is inside, a folder of credentials");
  }
  return { hostPath: real, identity: `${stats.dev}:${stats.ino}` };
}

export function readRealPaths(paths: readonly string[]): Map<string, string> {
  return new Map(
    paths.flatMap((path) => {
      const real = getRealPath(path);
      return real === undefined ? [] : [[path, real]];
    }),
  );
}

function refused(path: string, why: string): HaftError {
  return hostError("SANDBOX_MOUNT_REFUSED", `${path} is not mounted into a sandbox: ${why}.`, {
    details: { path },
  });
}
