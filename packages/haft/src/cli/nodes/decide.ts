import { escapeInvisible } from "@haft/core/internal";
import { describeStatus, nodeForPrograms } from "./describe-status.ts";
import { oneNode } from "./list.ts";
import { type NodesValues, openNodes, pairedNode } from "./open-nodes.ts";

export async function approveNode(values: NodesValues, words: readonly string[]): Promise<number> {
  const [word, ...commands] = words;
  const wanted = oneNode(word === undefined ? [] : [word], "approve");
  const opened = await openNodes(values, "connected");
  try {
    const { id } = await pairedNode(opened, wanted);
    const { name, digest } = values;
    const status = await opened.nodes.approve(id, {
      ...(commands.length > 0 && { commands: [...new Set(commands)] }),
      ...(name !== undefined && { name }),
      ...(digest !== undefined && { digest }),
    });
    if (values.json) console.log(JSON.stringify({ node: nodeForPrograms(status) }));
    else {
      console.log(describeStatus(status, true));
      console.log(
        `\nSessions call it where policy grants that: grant: ["node_invoke(node:${escapeInvisible(status.name)})"]`,
      );
    }
    return 0;
  } finally {
    await opened.close();
  }
}

export async function revokeNode(values: NodesValues, words: readonly string[]): Promise<number> {
  const wanted = oneNode(words, "revoke");
  // Without a server, too: it counts for every host with this state folder, at once.
  const opened = await openNodes(values, "as it may be");
  try {
    const { id, name } = await pairedNode(opened, wanted);
    opened.nodes.revoke(id);
    if (values.json) console.log(JSON.stringify({ revoked: { id, name } }));
    else
      console.log(
        `${escapeInvisible(name)} is revoked: nothing of it is called any more. On it, haft node forget takes this host out.`,
      );
    return 0;
  } finally {
    await opened.close();
  }
}
