import { requireKnownOptions } from "@haft/core/internal";
import type { Records } from "../../contract/records.ts";
import { nodesError } from "../../errors.ts";
import type { Identity } from "../../keys/identity.ts";
import type { HaftNode } from "../../node/create-node.ts";
import type { KnownHost } from "../known-hosts.ts";
import { type MessageBus, subjects } from "../message-bus.ts";
import { type PairingRequest, PairingWindow } from "./pairing-window.ts";

/**
 * Describes a pairing for a person's decision.
 *
 * @example
 * ```ts
 * import type { PendingPairing } from "@haft/nodes";
 * declare const pairing: PendingPairing;
 * declare function confirm(question: string): Promise<boolean>;
 * if (await confirm(`Does ${pairing.hostName} show ${pairing.code}?`)) pairing.accept();
 * else pairing.refuse();
 * ```
 */
export interface PendingPairing extends PairingRequest {
  /** Accepts the host and stores it. */
  accept(): void;
  /** Refuses the host. */
  refuse(): void;
}

/**
 * Waits for one host, and resolves to the code to show. Ends with `accept`, `refuse` or the signal.
 *
 * @param use receives the active window, finally `undefined`
 * @throws HaftError `NODE_PAIRING_FAILED`
 */
export function openPairingWindow(
  node: HaftNode,
  hosts: Records<KnownHost>,
  signal: AbortSignal,
  use: (window: PairingWindow | undefined) => void,
): Promise<PendingPairing> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    const close = () => {
      if (isOpen) use(undefined);
      isOpen = false;
    };
    const window = new PairingWindow(node, (request) => {
      const accept = () => {
        if (isOpen) hosts.write(request.hostId, { name: request.hostName, pairedAt: Date.now() });
        close();
      };
      resolve({ ...request, accept, refuse: close });
    });
    const end = () => {
      close();
      reject(
        nodesError("NODE_PAIRING_FAILED", "No host started a pairing in time, or the pairing was cancelled."),
      );
    };
    use(window);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
}

/**
 * Configures {@link pairNode}.
 *
 * @example
 * ```ts
 * import { openIdentity, openKnownHosts, type PairNodeOptions } from "@haft/nodes";
 * import { openNatsBus } from "@haft/nodes/nats";
 * const identity = openIdentity("/var/lib/node");
 * const bus = await openNatsBus({ servers: "tls://nats.example.com", nkeySeed: identity.seed });
 * const options: PairNodeOptions = { bus, identity, hosts: openKnownHosts("/var/lib/node/hosts") };
 * ```
 */
export interface PairNodeOptions {
  /** Carries the messages. It stays open. */
  readonly bus: MessageBus;
  /** Identifies the node. */
  readonly identity: Identity;
  /** Stores the accepted host. A serving program with the same records knows it immediately. */
  readonly hosts: Records<KnownHost>;
}

/**
 * Pairs a node without serving it, even while another program serves it (`isPairingExternally` of
 * `serveNode`).
 *
 * @throws HaftError `NODE_PAIRING_FAILED`, `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts
 * import { createNode, openIdentity, openKnownHosts, pairNode, type MessageBus } from "@haft/nodes";
 * declare const bus: MessageBus;
 * const identity = openIdentity("/var/lib/node");
 * const node = createNode({ id: identity.id, commands: [] });
 * const hosts = openKnownHosts("/var/lib/node/hosts");
 * const pairing = await pairNode(node, { bus, identity, hosts }, AbortSignal.timeout(120_000));
 * console.log(`${pairing.hostName}: ${pairing.code}`);
 * ```
 */
export async function pairNode(
  node: HaftNode,
  options: PairNodeOptions,
  signal: AbortSignal,
): Promise<PendingPairing> {
  requireKnownOptions<PairNodeOptions>("pairNode", options, { bus: true, identity: true, hosts: true });
  const { bus, identity, hosts } = options;
  if (identity.id !== node.id)
    throw nodesError("NODE_OPTIONS_INVALID", "The id of the node must be the id of its identity.");
  let window: PairingWindow | undefined;
  const answer = (reply: string | undefined, value: object) => {
    if (reply?.startsWith(`${bus.prefix}.inbox.`)) bus.publish(reply, Buffer.from(JSON.stringify(value)));
  };
  const unsubscribe = [
    bus.subscribe(subjects.who(bus.prefix), ({ reply }) =>
      answer(reply, { id: node.id, name: node.name, pairing: true }),
    ),
    bus.subscribe(subjects.node(bus.prefix, node.id, "pair"), ({ bytes, reply }) => {
      const response = window?.take(bytes);
      if (response !== undefined) answer(reply, response);
    }),
  ];
  const request = openPairingWindow(node, hosts, signal, (next) => {
    window = next;
    if (next === undefined) for (const end of unsubscribe) end();
  });
  await Promise.race([bus.flush(), request]);
  return await request;
}
