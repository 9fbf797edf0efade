import type { Workspace } from "@haft/plugin-sdk";
import { type HostRequest, refuseHost } from "./refuse-request.ts";

/**
 * Returns the workspace of the session, or of a named node.
 *
 * @throws `EXEC_UNAVAILABLE`, and errors of nodes (`NODE_…`)
 */
export async function resolveTargetWorkspace(wishes: HostRequest, workspace: Workspace): Promise<Workspace> {
  const { host, node } = wishes;
  const here = workspace.describe();
  if (host === "node" && here.target !== "node" && workspace.openNodeWorkspace !== undefined)
    return await workspace.openNodeWorkspace(
      node === undefined || node.trim() === "" ? undefined : node.trim(),
    );
  refuseHost(wishes, here);
  return workspace;
}
