import { getErrorMessage } from "@haft/core";
import type { SandboxSpec } from "../backend.ts";
import { SandboxHostSockets } from "./sandbox-host-sockets.ts";

/**
 * Finds the sockets and FIFOs of the host in the folders of a sandbox that commands would not reach.
 *
 * @returns the searched folders, the paths of the masked sockets and FIFOs, and folders with too many entries to search all of them.
 *   `refused`: why a sandbox with these folders would not be opened.
 * @example
 * ```ts
 * import type { SandboxSpec } from "@haft/sandbox";
 * import { scanHostSockets } from "@haft/sandbox/view";
 * declare const spec: SandboxSpec;
 * const { masked, refused } = await scanHostSockets(spec);
 * ```
 */
export async function scanHostSockets(
  spec: Pick<SandboxSpec, "mounts" | "workspace" | "network">,
): Promise<{ folders: string[]; masked: string[]; unscanned: string[]; refused?: string }> {
  const sockets = new SandboxHostSockets(spec);
  const { folders } = sockets;
  try {
    const { covered, unlooked } = await sockets.scan();
    return { folders, masked: [...new Set(covered.map(({ hostPath }) => hostPath))], unscanned: unlooked };
  } catch (thrown) {
    return { folders, masked: [], unscanned: [], refused: getErrorMessage(thrown) };
  }
}
