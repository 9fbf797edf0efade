import type { NodeLink, NodeTransport } from "../contract/transport.ts";
import { nodesError } from "../errors.ts";
import type { HaftNode } from "../node/create-node.ts";

/**
 * Creates a transport for this process's nodes, without a server, keys or serialization.
 *
 * @param nodes later changes of the list apply
 *
 * @example
 * ```ts run
 * import { createLocalTransport, createNode, createNodes } from "@haft/nodes";
 * const lab = createNode({ id: "lab", commands: [] });
 * const nodes = createNodes({ transport: createLocalTransport([lab]) });
 * const found = (await nodes.list()).map(({ id, present }) => ({ id, present }));
 * found; // => [{ id: "lab", present: true }]
 * await nodes.close();
 * ```
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
        throw nodesError("NODE_UNREACHABLE", `This process has no node ${nodeId}.`);
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
