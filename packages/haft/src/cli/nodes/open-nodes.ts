import { resolveBroker } from "@haft/config/internal/document";
import { type NodesSettings, nodeFolders } from "@haft/config/internal/settings";
import { HaftError } from "@haft/core";
import { findHostConfiguration } from "@haft/host/internal/host";
import { openBus } from "@haft/host/internal/nodes";
import type { Identity, Nodes, NodeStatus, NodeTransport } from "@haft/nodes";
import { withoutUndefined } from "@haft/utils";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { readStateValue } from "../location/state-value.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { findNamed } from "./find-named.ts";

/** Milliseconds for nodes to answer. */
export const FIND_MS = 1_000;

export interface NodesValues {
  server?: string;
  config?: string;
  state?: string;
  json?: boolean;
}

export interface OpenedNodes {
  nodes: Nodes;
  transport: NodeTransport;
  identity: Identity;
  name: string;
  prefix: { prefix?: string };
  /** Explains a missing connection, which leaves only stored data. */
  problem: HaftError | undefined;
}

/**
 * Stored decisions need no server.
 *
 * @param needsServer throws if there is no connection
 */
export async function withNodes<T>(
  values: NodesValues,
  needsServer: boolean,
  work: (opened: OpenedNodes) => Promise<T>,
): Promise<T> {
  const stateDir = readStateValue(values.state);
  const settings = await settingsOf(values, stateDir);
  const { createLinkTransport, createNodes, openIdentity, openPairings } = await import("@haft/nodes");
  const folders = nodeFolders(stateDir);
  const identity = openIdentity(folders.host);
  const { name = hostname(), server } = settings;
  let transport: NodeTransport;
  let problem: HaftError | undefined;
  try {
    if (server === undefined)
      throw commandError("CONFIG_INVALID", "There is no server for nodes.", {
        fix: "Set `nodes: { server: nats://… }` in your own configuration, or use --server nats://….",
      });
    const bus = await openBus(server, identity, stderrLogger);
    transport = createLinkTransport({ bus, identity, name });
  } catch (thrown) {
    if (needsServer || !HaftError.is(thrown)) throw thrown;
    problem = thrown;
    transport = unconnected(identity.id, thrown);
  }
  const policy = settings.deny && { deny: settings.deny };
  const nodes = createNodes(
    withoutUndefined({ transport, pairings: openPairings(folders.pairings), policy, logger: stderrLogger }),
  );
  const prefix = typeof server === "object" ? server.prefix : undefined;
  try {
    return await work({
      nodes,
      transport,
      identity,
      name,
      prefix: prefix === undefined ? {} : { prefix },
      problem,
    });
  } finally {
    await nodes.close();
  }
}

export async function pairedNode({ nodes }: OpenedNodes, word: string): Promise<NodeStatus> {
  const all = await nodes.list();
  const usable = all.filter(({ state }) => state !== "revoked");
  // A revoked node's name is free.
  return findNamed(word, usable.some(({ id, name }) => id === word || name === word) ? usable : all, "node");
}

async function settingsOf(
  { server, config }: NodesValues,
  stateDir: string,
): Promise<Partial<NodesSettings>> {
  const given = config === undefined || resolve(config);
  const { nodes, nats } = (await findHostConfiguration({ config: given, stateDir }))?.trusted?.config ?? {};
  return withoutUndefined<Partial<NodesSettings>>({
    ...nodes,
    server: resolveBroker(server ?? nodes?.server, nats),
  });
}

function unconnected(hostId: string, why: HaftError): NodeTransport {
  const fail = async () => {
    throw why;
  };
  return { hostId, discover: async () => [], link: fail, pair: fail, async close() {} };
}
