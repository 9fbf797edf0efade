import { foldersFromHere } from "@haft/core/internal";
import type { BoundPlace } from "@haft/core/kernel";
import type { HostWorkspaceOptions } from "@haft/workspace";
import type { HostPlace } from "@haft/workspace/internal/places";

/**
 * @param caller whose options these are, for what is said of wrong ones
 * @returns A folder of the host, loaded and opened when somebody first asks: making a tool costs nothing.
 */
export function hostFolder(caller: string, folder: HostWorkspaceOptions): BoundPlace["workspace"] {
  const here = foldersFromHere(folder);
  let place: Promise<HostPlace> | undefined;
  const open = async () => (await import("@haft/workspace/internal/places")).openHostPlace(caller, here);
  return async () => (await (place ??= open())).workspace();
}
