import { type HaftError, getErrorMessage } from "@haft/core";
import { release } from "node:os";
import type { ReadOnlyPath, SandboxMount } from "../../backend.ts";
import { sandboxError } from "../../errors.ts";
import { hostMountTable, listSubmounts } from "../../mounts/mount-table.ts";
import type { Engine } from "../engine/engine.ts";

/** `recursive`: an option of newer Engines. `one-by-one`: each submount is mounted separately. */
export type ReadOnlyMountMode = "recursive" | "one-by-one";

const RECURSIVE_API = [1, 44] as const;
const RECURSIVE_KERNEL = [5, 12] as const;

export interface EngineInfo {
  KernelVersion?: string;
  DefaultRuntime?: string;
  SecurityOptions?: string[];
  Rootless?: boolean;
}

export function getReadOnlyMountMode(api: string, { KernelVersion }: EngineInfo): ReadOnlyMountMode {
  return isAtLeast(api, RECURSIVE_API) && isAtLeast(KernelVersion ?? "", RECURSIVE_KERNEL)
    ? "recursive"
    : "one-by-one";
}

/** Containers share the kernel of the Engine's machine. */
const RUNTIMES = /^(runc|crun|youki|io\.containerd\.runc\.v2)$/;

export interface EngineCapabilities {
  hostFolders: boolean;
  readOnlyMode: ReadOnlyMountMode;
  isPodman: boolean;
  rootless: boolean;
}

export async function inspectEngine(engine: Engine): Promise<EngineCapabilities> {
  const [{ api, isPodman }, info] = await Promise.all([
    engine.version(),
    engine.call<EngineInfo>("GET", "/info"),
  ]);
  // False in a virtual machine (Docker Desktop), where inode numbers differ.
  const hostFolders = info.KernelVersion === release() && RUNTIMES.test(info.DefaultRuntime ?? "");
  return { hostFolders, readOnlyMode: getReadOnlyMountMode(api, info), isPodman, rootless: isRootless(info) };
}

export function isRootless({ Rootless = false, SecurityOptions = [] }: EngineInfo): boolean {
  return Rootless || SecurityOptions.includes("name=rootless");
}

export interface Submount {
  source: string;
  target: string;
  readOnlyPath: ReadOnlyPath;
}

export function listReadOnlySubmounts(mounts: readonly SandboxMount[], shown: readonly string[]): Submount[] {
  const table = hostMountTable();
  const folders = [
    ...mounts.filter(({ access }) => access !== "rw"),
    ...shown.map((path) => ({ hostPath: path, path })),
  ];
  return folders.flatMap(({ hostPath, path }) =>
    listSubmounts(hostPath, table).map(({ path: source, device, root }) => {
      const target = path + source.slice(hostPath.length);
      return { source, target, readOnlyPath: { path: target, mounted: { device, root } } };
    }),
  );
}

export function submountRefusedError(path: string, cause: unknown): HaftError {
  const message = `${path} is not mounted into a sandbox: it is a separate file system below a read-only folder, and the Engine could not mount it read-only (${getErrorMessage(cause)}).`;
  const fix =
    "Unmount it, remove the folder from the settings, or use Docker 25 or newer on Linux 5.12 or newer, or bubblewrap.";
  return sandboxError("SANDBOX_MOUNT_REFUSED", message, { fix, cause, details: { backend: "docker", path } });
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [actualMajor = 0, rest = 0] = version.split(/[^0-9]/).map(Number);
  return actualMajor > major || (actualMajor === major && rest >= minor);
}
