import { resolveFolders } from "@haft/core/kernel";
import type { BoundTarget } from "@haft/core/kernel";
import type { HostWorkspaceOptions } from "@haft/workspace";
import type { HostTarget } from "@haft/workspace";

/**
 * @param caller Owner of the options, for messages.
 * @returns A folder of the host, which opens on first use.
 */
export function hostFolder(caller: string, folder: HostWorkspaceOptions): BoundTarget["workspace"] {
  const here = resolveFolders(folder, caller);
  let target: Promise<HostTarget> | undefined;
  const open = async () => (await import("@haft/workspace")).openHostTarget(caller, here);
  return async () => (await (target ??= open())).workspace();
}
