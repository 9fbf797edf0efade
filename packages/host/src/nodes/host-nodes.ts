import { type NodesSettings, nodeFolders } from "@haft/config/internal/settings";
import { type Logger, type Plugin, invalidOptions } from "@haft/core";
import type { LinkTransport, Nodes, NodeTransport } from "@haft/nodes";
import { withoutUndefined, lazy } from "@haft/utils";
import { hostname } from "node:os";
import { openBus } from "./open-bus.ts";

interface Wanted {
  stateDir: string | undefined;
  logger: Pick<Logger, "warn"> | undefined;
}

export function isNodes(given: NodesSettings | Nodes): given is Nodes {
  return typeof (given as Partial<Nodes>).invoke === "function";
}

async function openHostNodes(settings: NodesSettings, { stateDir, logger }: Wanted): Promise<Nodes> {
  if (stateDir === undefined)
    throw invalidOptions(
      "createHost: nodes need a state folder, but stateDir is false.",
      "Name a state folder, or give nodes that are opened already.",
    );
  const { createNodes, openPairings } = await import("@haft/nodes");
  const { pairings } = nodeFolders(stateDir);
  return createNodes(
    withoutUndefined({
      transport: lateTransport(settings, stateDir, logger),
      pairings: openPairings(pairings),
      policy: settings.deny && { deny: settings.deny },
      logger,
    }),
  );
}

/** Connects on first use, and retries after a failure. */
function lateTransport(
  { server, name = hostname() }: NodesSettings,
  stateDir: string,
  logger: Pick<Logger, "warn"> | undefined,
): NodeTransport {
  let hostId = "";
  let opening: Promise<LinkTransport> | undefined;
  const connect = async () => {
    const { createLinkTransport, openIdentity } = await import("@haft/nodes");
    const identity = openIdentity(nodeFolders(stateDir).host);
    const bus = await openBus(server, identity, logger);
    hostId = identity.id;
    return createLinkTransport({ bus, identity, name });
  };
  const open = lazy(() => (opening = connect()));
  return {
    get hostId() {
      return hostId;
    },
    discover: async (waitMs) => (await open()).discover(waitMs),
    link: async (nodeId, limitMs) => (await open()).link(nodeId, limitMs),
    pair: async (nodeId) => (await open()).pair!(nodeId),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

export async function resolveHostNodes(
  given: NodesSettings | Nodes,
  wanted: Wanted,
): Promise<{ nodes: Nodes; plugins: Plugin[]; close: () => Promise<void> }> {
  const { createNodesPlugin } = await import("@haft/nodes");
  const nodes = isNodes(given) ? given : await openHostNodes(given, wanted);
  return {
    nodes,
    plugins: [createNodesPlugin(nodes)],
    close: async () => void (nodes === given || (await nodes.close())),
  };
}
