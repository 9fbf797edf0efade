import { UsageError } from "../usage.ts";
import { describeNode, nodeForPrograms } from "./describe-node.ts";
import { type NodeValues, openNode } from "./open-node.ts";

/** Shows what is offered, as the operator of a host sees it. Nothing is connected. Resolves to the exit code. */
export async function showNode(values: NodeValues, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError("haft node show takes no names.");
  const opened = await openNode(values);
  try {
    const { knownHostsIn } = await import("@haft/nodes");
    const records = knownHostsIn(opened.folders.hosts);
    const hosts = records.ids().map((id) => ({ id, ...records.read(id)! }));
    if (values.json) console.log(JSON.stringify({ ...nodeForPrograms(opened), hosts }));
    else console.log(describeNode(opened, hosts));
    return 0;
  } finally {
    await opened.close();
  }
}
