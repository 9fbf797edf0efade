import { escapeInvisible } from "@haft/core/internal";
import { textTable } from "@haft/policy";
import { UsageError } from "../usage.ts";
import { describeStatus, describeStatuses, nodeForPrograms, statusForPrograms } from "./describe-status.ts";
import { type NodesValues, type OpenedNodes, openNodes, pairedNode } from "./open-nodes.ts";

/** Milliseconds in which nodes say that they are there. */
const FIND_MS = 1_000;

export async function listNodes(values: NodesValues, words: readonly string[]): Promise<number> {
  if (words.length > 0)
    throw new UsageError("haft nodes list takes no names; haft nodes show NODE shows one.");
  return lookedAt(values, async ({ nodes, identity, name }) => {
    const all = await nodes.list();
    const host = { id: identity.id, name };
    if (values.json) console.log(JSON.stringify({ host, nodes: all.map(statusForPrograms) }));
    else if (all.length === 0)
      console.log(
        `No node is paired with this host (${escapeInvisible(name)}, ${identity.id}): haft nodes find.`,
      );
    else console.log(describeStatuses(all));
  });
}

export async function showNode(values: NodesValues, words: readonly string[]): Promise<number> {
  const word = oneNode(words, "show");
  return lookedAt(values, async (opened) => {
    const status = await pairedNode(opened, word);
    console.log(values.json ? JSON.stringify({ node: nodeForPrograms(status) }) : describeStatus(status));
  });
}

export async function findNodes(values: NodesValues, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError("haft nodes find takes no names.");
  const opened = await openNodes(values, "connected");
  try {
    const found = await opened.transport.discover(FIND_MS);
    const names = new Map((await opened.nodes.list()).map(({ id, name, state }) => [id, { name, state }]));
    const nodes = found.map((node) => {
      const known = names.get(node.id);
      return { ...node, ...(known && { pairedAs: known.name, state: known.state }) };
    });
    if (values.json) console.log(JSON.stringify({ nodes }));
    else if (nodes.length === 0) console.log("No node answered on this server.");
    else {
      const rows = nodes.map(({ id, name, pairing, pairedAs }) => [
        escapeInvisible(name),
        id,
        pairedAs === undefined ? "not paired" : `paired as ${escapeInvisible(pairedAs)}`,
        pairing ? "waits for a host" : "",
      ]);
      console.log(textTable([["calls itself", "id", "here", "now"], ...rows]).join("\n"));
    }
    return 0;
  } finally {
    await opened.close();
  }
}

/** @throws UsageError */
export function oneNode(words: readonly string[], action: string): string {
  const [word, ...more] = words;
  if (word !== undefined && more.length === 0) return word;
  throw new UsageError(`Which node? haft nodes ${action} NODE; haft nodes list names them.`);
}

/** What is known is shown without a server, too; that there is none is told. Resolves to the exit code. */
async function lookedAt(values: NodesValues, look: (opened: OpenedNodes) => Promise<void>): Promise<number> {
  const opened = await openNodes(values, "as it may be");
  try {
    await look(opened);
    const { problem } = opened;
    if (problem !== undefined)
      console.error(
        `haft: ${escapeInvisible(problem.message)} What is shown is what was known. [${problem.code}]`,
      );
    return problem === undefined ? 0 : 1;
  } finally {
    await opened.close();
  }
}
