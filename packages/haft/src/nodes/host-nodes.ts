import { type Logger, type Plugin, withoutUndefined } from "@haft/core";
import { invalidOptions } from "@haft/core/internal";
import type { LinkTransport, Nodes, NodeTransport } from "@haft/nodes";
import { hostname } from "node:os";
import { nodeFolders } from "./node-folders.ts";
import { openBus } from "./open-bus.ts";
import type { NodesSettings } from "./settings.ts";

interface Wanted {
  stateDir: string | undefined;
  logger: Pick<Logger, "warn"> | undefined;
}

/** Whether a program brings nodes that it opened itself. */
export function isNodes(given: NodesSettings | Nodes): given is Nodes {
  return typeof (given as Partial<Nodes>).invoke === "function";
}

/**
 * The nodes of a host, by its settings. Nothing is connected before a node is asked for something.
 *
 * @throws HaftError `INVALID_OPTIONS` without a state folder, `NODE_OPTIONS_INVALID`
 */
async function openHostNodes(settings: NodesSettings, { stateDir, logger }: Wanted): Promise<Nodes> {
  if (stateDir === undefined)
    throw invalidOptions(
      "createHost: nodes are known by what is kept of them, and stateDir is false.",
      "Name a state folder, or give nodes that are opened already.",
    );
  const { createNodes, pairingsIn } = await import("@haft/nodes");
  const { pairings } = nodeFolders(stateDir);
  return createNodes(
    withoutUndefined({
      transport: new LateTransport(settings, stateDir, logger),
      pairings: pairingsIn(pairings),
      policy: settings.deny && { deny: settings.deny },
      logger,
    }),
  );
}

class LateTransport implements NodeTransport {
  readonly #settings: NodesSettings;
  readonly #stateDir: string;
  readonly #logger: Pick<Logger, "warn"> | undefined;
  #hostId = "";
  #opening: Promise<LinkTransport> | undefined;

  constructor(settings: NodesSettings, stateDir: string, logger: Pick<Logger, "warn"> | undefined) {
    this.#settings = settings;
    this.#stateDir = stateDir;
    this.#logger = logger;
  }

  /** Known once a node was reached, which every invocation comes after. */
  get hostId(): string {
    return this.#hostId;
  }

  async discover(waitMs: number) {
    return (await this.#open()).discover(waitMs);
  }

  async link(nodeId: string, limitMs: number) {
    return (await this.#open()).link(nodeId, limitMs);
  }

  async pair(nodeId: string) {
    return (await this.#open()).pair!(nodeId);
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  #open(): Promise<LinkTransport> {
    return (this.#opening ??= this.#connect().catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    }));
  }

  async #connect(): Promise<LinkTransport> {
    const { createLinkTransport, openIdentity } = await import("@haft/nodes");
    const { server, name = hostname() } = this.#settings;
    const identity = openIdentity(nodeFolders(this.#stateDir).host);
    const bus = await openBus(server, identity, this.#logger);
    this.#hostId = identity.id;
    return createLinkTransport({ bus, identity, name });
  }
}

/** `node_invoke`, and how what it needs is let go of: what the host opened itself. */
export async function nodesOf(
  given: NodesSettings | Nodes,
  wanted: Wanted,
): Promise<{ nodes: Nodes; plugins: Plugin[]; close: () => Promise<void> }> {
  // Most hosts have none.
  const { createNodesPlugin } = await import("@haft/nodes");
  const nodes = isNodes(given) ? given : await openHostNodes(given, wanted);
  return {
    nodes,
    plugins: [createNodesPlugin(nodes)],
    close: async () => void (nodes === given || (await nodes.close())),
  };
}
