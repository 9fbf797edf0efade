import type { FileSystem, HaftError, Mount } from "@haft/core";
import { attempt } from "@haft/system";
import { type BigIntStats, lstatSync, realpathSync, statSync } from "node:fs";
import type { SandboxMount, SandboxSpec } from "../backend.ts";
import { sandboxError } from "../errors.ts";
import { quoteShellWord } from "../quote-shell-word.ts";

/* Commands that may write to the parent can replace a folder with a link, so each mount has an identity. */

function folderIdentity({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** The backend refuses missing folders later. */
export function withMountIdentities(spec: SandboxSpec): SandboxSpec {
  const mounts = spec.mounts.map((mount): SandboxMount => {
    if (mount.identity !== undefined) return mount;
    const checked = attempt(() => {
      const hostPath = realpathSync(mount.hostPath);
      return { hostPath, identity: folderIdentity(lstatSync(hostPath, { bigint: true })) };
    });
    return { ...mount, ...checked };
  });
  return { ...spec, mounts };
}

/** Throws `SANDBOX_MOUNT_REFUSED` if the folder was replaced. */
export function currentFolder({ hostPath, identity }: SandboxMount): string {
  const real = realpathSync(hostPath);
  if (identity === undefined) return real;
  if (real !== hostPath || folderIdentity(lstatSync(real, { bigint: true })) !== identity) {
    throw replaced(hostPath);
  }
  return real;
}

/** Throws as {@link currentFolder}. */
export function getFolderOwner({
  hostPath,
  identity,
}: SandboxMount): { uid: number; gid: number } | undefined {
  const stats = statSync(hostPath, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (identity !== undefined && folderIdentity(stats) !== identity) throw replaced(hostPath);
  return { uid: Number(stats.uid), gid: Number(stats.gid) };
}

/** Checks from inside before any program starts; a check from outside would race. */
export async function checkMounted(
  { workspace, mounts, protectedPaths = [] }: SandboxSpec,
  opened: readonly Mount[],
  fs: Pick<FileSystem, "stat">,
): Promise<void> {
  const checked = mountedOf({ workspace, mounts }).map(({ name, hostPath, identity }) => {
    return { hostPath, identity, path: opened.find((one) => one.name === name)?.path };
  });
  await Promise.all(
    [...checked, ...protectedPaths].map(async ({ hostPath, identity, path }) => {
      const stat = path === undefined ? undefined : await fs.stat(path);
      // A version begins with the identity. The shell runner uses other separators.
      const seen = /^(\d+)[:.](\d+)[:.]/.exec(stat?.version ?? "");
      if (seen === null || `${seen[1]}:${seen[2]}` !== identity) throw replaced(hostPath);
    }),
  );
}

/** The setup script runs before the host can check, so it contains the check. */
export function withCheckedSetup(
  spec: SandboxSpec,
  pathOf: (mount: SandboxMount) => string = ({ path }) => path,
): SandboxSpec {
  if (spec.setup === undefined || process.platform !== "linux") return spec;
  const held = spec.protectedPaths ?? [];
  const mounted = mountedOf(spec).map((mount) => ({ ...mount, path: pathOf(mount) }));
  const checks = [...mounted, ...held].flatMap(({ hostPath, path, identity }) => {
    if (identity === undefined) return [];
    const is = `[ "$(stat -c %d:%i -- ${quoteShellWord(path)})" = ${quoteShellWord(identity)} ]`;
    const warning = quoteShellWord(`${hostPath} was replaced after the check`);
    return [`${is} || { echo ${warning} >&2; exit 1; }\n`];
  });
  return { ...spec, setup: checks.join("") + spec.setup };
}

function mountedOf({ workspace, mounts }: Pick<SandboxSpec, "workspace" | "mounts">): SandboxMount[] {
  return mounts.filter(({ name }) => name !== "" || workspace !== "none");
}

function replaced(path: string): HaftError {
  const message = `${path} is not mounted into a sandbox: it was replaced after the check.`;
  const fix = "Find the cause, which may be a command. Restore the folder, then open another session.";
  return sandboxError("SANDBOX_MOUNT_REFUSED", message, { fix, details: { path } });
}
