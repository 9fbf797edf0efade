import type { Workspace } from "@haft/plugin-sdk";
import { type HostRequest, refuseHost } from "./refuse-request.ts";

/**
 * Where a call wants its command to run: in the workspace of its session, or in that of a node that it names.
 *
 * @throws HaftError `EXEC_UNAVAILABLE`, and those of nodes (`NODE_…`)
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
