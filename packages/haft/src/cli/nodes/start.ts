import { getErrorMessage } from "@haft/core";
import { claimRole, isClaimed, openBus } from "@haft/host/internal/nodes";
import type { KnownHost, MessageBus, Records } from "@haft/nodes";
import { attempt } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import { commandError } from "../../errors.ts";
import { listenForSignals } from "../call/signal-listener.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { print } from "../write-out.ts";
import { describeNode, nodeForPrograms } from "./describe-node.ts";
import { knownHosts } from "./hosts.ts";
import { type NodeValues, type OpenedNode, openNode, requireServer } from "./open-node.ts";

/** Milliseconds for a duplicate identity to answer. */
const DUPLICATE_MS = 700;
const CHECK_MS = 1_000;

export async function offerNode(values: NodeValues): Promise<number> {
  const opened = await openNode(values);
  try {
    const { all: hosts } = await knownHosts(opened.folders.hosts);
    print(values.json, { ...nodeForPrograms(opened), hosts }, () => describeNode(opened, hosts));
    return 0;
  } finally {
    await opened.close();
  }
}

export async function startNode(values: NodeValues): Promise<number> {
  const until = listenForSignals();
  const opened = await openNode(values);
  let release: (() => void) | undefined;
  try {
    const server = requireServer(opened);
    release = claimRole(opened.folders.node, "serving");
    const bus = await openBus(server, opened.identity, stderrLogger);
    await serve(opened, bus, values, until.signal);
    return until.code() ?? 0;
  } finally {
    await opened.close();
    release?.();
    until.end();
  }
}

async function serve(
  opened: OpenedNode,
  bus: MessageBus,
  { json }: NodeValues,
  signal: AbortSignal,
): Promise<void> {
  const { findDuplicateNode, openKnownHosts, serveNode } = await import("@haft/nodes");
  const { node, identity, folders } = opened;
  const hosts = openKnownHosts(folders.hosts);
  let known = new Set(hosts.ids());
  const unasked = () =>
    stderrLogger.warn(
      `Haft cannot check whether another program uses this identity: the permissions of the server lack the subject ${bus.prefix}.node.${node.id}.here; haft nodes server-config prints them.`,
    );
  const requireAlone = async (counts: (boot: string) => boolean) => {
    const other = await findDuplicateNode(bus, identity, { boot: node.boot, waitMs: DUPLICATE_MS, unasked });
    if (other !== undefined && counts(other))
      throw commandError(
        "NODE_RUNS_ALREADY",
        `Another program on the same server already uses the identity of this node (${node.id}).`,
      );
  };
  let closeServed: (() => Promise<void>) | undefined;
  let looking: ReturnType<typeof setInterval> | undefined;
  try {
    await requireAlone(() => true);
    const pairingElsewhere = () => isClaimed(folders.node, "pairing");
    const served = await serveNode(node, {
      bus,
      identity,
      hosts,
      isPairingExternally: pairingElsewhere,
      logger: stderrLogger,
    });
    closeServed = () => served.close();
    // The folder may be readable at the next check.
    const check = () => {
      const now = attempt(() => new Set(hosts.ids())) ?? known;
      for (const id of known) if (!now.has(id)) served.forget(id);
      known = now;
      void closeOthers(opened, hosts);
    };
    looking = setInterval(check, CHECK_MS);
    const { all } = await knownHosts(folders.hosts);
    print(
      json,
      { ...nodeForPrograms(opened), hosts: all },
      () => `${describeNode(opened, all)}\n\nHosts can call it until you press Ctrl-C.`,
    );
    const ended = Promise.withResolvers<void>();
    if (signal.aborted) ended.resolve();
    signal.addEventListener("abort", () => ended.resolve());
    // Of two simultaneous starts, one continues.
    requireAlone((boot) => boot < node.boot).catch((thrown: unknown) => ended.reject(thrown as Error));
    await ended.promise;
    if (!json) console.log("The node ends: running calls are told to stop.");
  } finally {
    clearInterval(looking);
    // Sends last answers first.
    await node.close();
    await new Promise((resolve) => setImmediate(resolve));
    await bus.flush().catch(() => undefined);
    await (closeServed?.() ?? bus.close());
  }
}

/** `haft nodes forget` removes hosts; unreadable records count as unknown hosts. */
async function closeOthers({ offer }: OpenedNode, hosts: Records<KnownHost>): Promise<void> {
  const isKnown = (hostId: string) => {
    try {
      return hosts.read(hostId) !== undefined;
    } catch {
      return false;
    }
  };
  try {
    await offer.keepOnly(isKnown);
  } catch (thrown) {
    stderrLogger.warn(`A session of a removed host: ${escapeInvisible(getErrorMessage(thrown))}`);
  }
}
