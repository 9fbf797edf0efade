import type { SandboxSpec } from "../backend.ts";
import type { BackendError } from "../errors.ts";
import { getFolderOwner } from "../mounts/mounted-folders.ts";

export interface SandboxIdentity {
  drop?: { uid: number; gid: number };
  inside: { uid: number; gid: number };
  root: boolean;
}

const OWNERLESS = { uid: 65_534, gid: 65_534 };
/** Shows root's files under this uid, because programs with uid 0 behave differently. */
const ORDINARY = 1000;

/** Returns the owner for new files. Only root can be another user; `bubblewrap/kernel-files.ts` then hides root's files. */
export function identityFor(spec: SandboxSpec, error: BackendError): SandboxIdentity {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { user = self } = spec;
  checkUser(spec.user, error);
  if (self.uid !== 0) {
    if (user.uid === self.uid) return { inside: self, root: false };
    const why = `only root can start a sandbox as user ${user.uid}`;
    throw error(
      "SANDBOX_UNSUPPORTED",
      why,
      "Remove the user from the settings, or run the host as root or as that user.",
    );
  }
  const drop = spec.user ?? workspaceOwner(spec);
  if (drop.uid === 0) return { inside: { uid: ORDINARY, gid: ORDINARY }, root: true };
  return { drop, inside: drop, root: false };
}

export function checkUser(user: SandboxSpec["user"], error: BackendError): void {
  if (user?.uid !== 0) return;
  const why = "commands in a sandbox never run as root";
  throw error("SANDBOX_UNSUPPORTED", why, "Name another user, or none.");
}

export function workspaceOwner({ workspace, mounts }: Pick<SandboxSpec, "workspace" | "mounts">) {
  const mount = workspace === "none" ? undefined : mounts.find(({ name }) => name === "");
  return (mount === undefined ? undefined : getFolderOwner(mount)) ?? OWNERLESS;
}
