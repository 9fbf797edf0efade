import type { OpenedWorkspace, WorkspaceOpening } from "../contract/workspace.ts";
import type { WorkspaceCall } from "./nodes.ts";
import type { RunningCall } from "./running-call.ts";

/** What a call says of it. */
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
      opened.stream.destroy(reason);
      await opened.close().catch(() => undefined);
    };
    void opened.ended.then(running.done);
    return opened;
  } catch (thrown) {
    running.done();
    throw thrown;
  }
}
