import type { SandboxSpec } from "../backend.ts";
import type { BackendError } from "../errors.ts";
import { getFolderOwner } from "../mounts/mounted-folders.ts";

export interface SandboxIdentity {
  /** What its processes are started as. Absent: as this program. */
  drop?: { uid: number; gid: number };
  inside: { uid: number; gid: number };
  /** What they own belongs to root outside. */
  root: boolean;
}

/** Owns nothing, for sandboxes without a workspace. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** What root's files look like inside: programs that think they are root behave differently. */
const ORDINARY = 1000;

/**
 * The owner of the workspace, so that new files belong to the right one. Only root can become somebody else.
 * What root's processes could open on the host must not be visible: see `bubblewrap/kernel-files.ts`.
 */
export function identityFor(spec: SandboxSpec, error: BackendError): SandboxIdentity {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { user = self } = spec;
  checkUser(spec.user, error);
  if (self.uid !== 0) {
    if (user.uid === self.uid) return { inside: self, root: false };
    const why = `only root can start a sandbox as user ${user.uid}`;
    throw error("SANDBOX_UNSUPPORTED", why, "Leave the user out, or run the host as root or as that user.");
  }
  const drop = spec.user ?? workspaceOwner(spec);
  if (drop.uid === 0) return { inside: { uid: ORDINARY, gid: ORDINARY }, root: true };
  return { drop, inside: drop, root: false };
}

/** @throws HaftError `SANDBOX_UNSUPPORTED` when root was named */
export function checkUser(user: SandboxSpec["user"], error: BackendError): void {
  if (user?.uid !== 0) return;
  const why = "commands in a sandbox never run as root";
  throw error("SANDBOX_UNSUPPORTED", why, "Name another user, or leave it out.");
}

/** Who commands are where nobody was named; root only when the workspace is root's. */
export function workspaceOwner({ workspace, mounts }: Pick<SandboxSpec, "workspace" | "mounts">) {
  const mount = workspace === "none" ? undefined : mounts.find(({ name }) => name === "");
  return (mount === undefined ? undefined : getFolderOwner(mount)) ?? NOBODY;
}
