import type { NodeLink, NodeTransport } from "../contract/transport.ts";
import { nodesError } from "../errors.ts";
import type { HaftNode } from "../node/create-node.ts";

/**
 * Nodes of this very process: no server, no keys, nothing serialised.
 *
 * @param nodes those there are; a list that is changed later counts as it is then
 */
export function createLocalTransport(nodes: readonly HaftNode[]): NodeTransport {
  const hostId = "local";
  let closed = false;
  return {
    hostId,
    async discover() {
      return nodes.map(({ id, name }) => ({ id, name, pairing: false }));
    },
    async link(nodeId): Promise<NodeLink> {
      const node = nodes.find(({ id }) => id === nodeId);
      if (closed || node === undefined)
        throw nodesError("NODE_UNREACHABLE", `There is no node ${nodeId} in this process.`);
      let open = true;
      return {
        declaration: node.declaration,
        get closed() {
          return !open || closed || !nodes.includes(node);
        },
        invoke(invocation, { signal }) {
          const abort = () => node.abort(hostId, invocation.id);
          const answer = node.invoke({ ...invocation, host: hostId });
          if (signal.aborted) abort();
          signal.addEventListener("abort", abort, { once: true });
          return answer.finally(() => signal.removeEventListener("abort", abort));
        },
        open: (opening, { signal, limitMs }) =>
          node.open(hostId, opening, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])),
        use: () => node.use(),
        answers: async () => open && !closed,
        close: () => void (open = false),
      };
    },
    async close() {
      closed = true;
    },
  };
}
