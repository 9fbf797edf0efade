import { resolveFolders } from "@haft/core/kernel";
import type { BoundTarget } from "@haft/core/kernel";
import type { HostWorkspaceOptions } from "@haft/workspace";
import type { HostTarget } from "@haft/workspace";

/**
 * @param caller whose options these are, for what is said of wrong ones
 * @returns A folder of the host, loaded and opened when somebody first asks: making a tool costs nothing.
 */
export function hostFolder(caller: string, folder: HostWorkspaceOptions): BoundTarget["workspace"] {
  const here = resolveFolders(folder);
  let place: Promise<HostTarget> | undefined;
  const open = async () => (await import("@haft/workspace")).openHostTarget(caller, here);
  return async () => (await (place ??= open())).workspace();
}
