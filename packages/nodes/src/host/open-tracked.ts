import type { OpenedWorkspace, WorkspaceOpening } from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";
import type { WorkspaceCall } from "./nodes.ts";
import type { WorkspaceTarget, WorkspaceWish } from "./resolve-node.ts";
import type { RunningCall } from "./running-call.ts";

export function sameWish({ id, workspace }: WorkspaceTarget): WorkspaceWish {
  return { node: id, workspace: workspace.name };
}

export function requireSame(now: WorkspaceTarget, { workspace, digest }: WorkspaceTarget): void {
  if (now.digest === digest) return;
  const message = `The workspace ${workspace.name} is not what it was when it was decided about.`;
  throw nodesError("NODE_CHANGED", message);
}

export function wishesOf({ access, network, limits }: WorkspaceCall): Partial<WorkspaceOpening> {
  return {
    ...(access !== undefined && { access }),
    ...(network !== undefined && { network }),
    ...(limits !== undefined && { limits }),
  };
}

/** Opens one that ends at once when its node may not be used any more. */
export async function openTracked(
  open: () => Promise<OpenedWorkspace>,
  running: RunningCall,
): Promise<OpenedWorkspace> {
  try {
    const opened = await open();
    running.onAbandoned = async (reason) => {
      // It ends a sentence of whoever worked there.
      const why = reason.message.replace(/^The /, "the ").replace(/\.$/, "");
      opened.stream.destroy(new Error(why, { cause: reason }));
      await opened.close().catch(() => undefined);
    };
    void opened.ended.then(running.done);
    return opened;
  } catch (thrown) {
    running.done();
    throw thrown;
  }
}
