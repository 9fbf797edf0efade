import { requireKnownOptions } from "@haft/core/internal";
import { readDeclaration } from "../contract/declaration.ts";
import type { DiscoveredNode, NodeTransport, PairingOffer } from "../contract/transport.ts";
import { nodesError } from "../errors.ts";
import type { Identity } from "../keys/identity.ts";
import { HostLink } from "./host-link.ts";
import { deriveLinkKeys, DOMAINS, createEphemeralKeyPair, hash, type LinkCounts } from "./key-agreement.ts";
import { type LinkTimes, DEFAULT_LINK_TIMES } from "./link-times.ts";
import { type MessageBus, subjects } from "./message-bus.ts";
import { offerPairing } from "./pairing/offer-pairing.ts";
import { readObject } from "./read-object.ts";
import { requestMany } from "./request-many.ts";
import { verifyMessage, signMessage } from "./signed-message.ts";

/**
 * Configures {@link createLinkTransport}.
 *
 * @example
 * ```ts
 * import { openIdentity, type LinkTransportOptions } from "@haft/nodes";
 * import { openNatsBus } from "@haft/nodes/nats";
 * const identity = openIdentity("/var/lib/agent/host");
 * const bus = await openNatsBus({ servers: "tls://nats.example.com", nkeySeed: identity.seed });
 * const options: LinkTransportOptions = { bus, identity, name: "Agents of the lab" };
 * ```
 */
export interface LinkTransportOptions {
  /** Carries the messages. The transport closes it. */
  readonly bus: MessageBus;
  /** Identifies this host. */
  readonly identity: Identity;
  /** Names this host for people who pair it. */
  readonly name: string;
}

/**
 * Reaches nodes on other machines.
 *
 * @example
 * ```ts
 * import type { LinkTransport } from "@haft/nodes";
 * declare const transport: LinkTransport;
 * const { forged, replayed } = transport.counts();
 * if (forged + replayed > 0) console.warn(`${forged} forged and ${replayed} replayed messages`);
 * ```
 */
export interface LinkTransport extends NodeTransport {
  /** Returns the numbers of invalid messages. */
  counts(): LinkCounts;
}

/**
 * Creates a transport for nodes on other machines. Both identities sign each link's keys, and each message
 * has a code.
 *
 * @example
 * ```ts
 * import { createLinkTransport, openIdentity, type MessageBus } from "@haft/nodes";
 * declare const bus: MessageBus;
 * const transport = createLinkTransport({ bus, identity: openIdentity("/var/lib/agent/host"), name: "agents" });
 * for (const { id, name } of await transport.discover(2_000)) console.log(id, name);
 * await transport.close();
 * ```
 */
export function createLinkTransport(options: LinkTransportOptions): LinkTransport {
  requireKnownOptions<LinkTransportOptions>("createLinkTransport", options, {
    bus: true,
    identity: true,
    name: true,
  });
  return linkTransportWithTimes(options, DEFAULT_LINK_TIMES);
}

export function linkTransportWithTimes(options: LinkTransportOptions, times: LinkTimes): LinkTransport {
  return new Transport(options, times);
}

class Transport implements LinkTransport {
  readonly hostId: string;
  readonly #bus: MessageBus;
  readonly #identity: Identity;
  readonly #name: string;
  readonly #counts: LinkCounts = { forged: 0, replayed: 0 };
  readonly #times: LinkTimes;
  #closed = false;

  constructor({ bus, identity, name }: LinkTransportOptions, times: LinkTimes) {
    this.#times = times;
    this.#bus = bus;
    this.#identity = identity;
    this.#name = name;
    this.hostId = identity.id;
  }

  counts(): LinkCounts {
    return { ...this.#counts };
  }

  async discover(waitMs: number): Promise<readonly DiscoveredNode[]> {
    const found = new Map<string, DiscoveredNode>();
    await requestMany(
      this.#bus,
      this.hostId,
      subjects.who(this.#bus.prefix),
      Buffer.alloc(0),
      waitMs,
      ({ bytes }) => {
        const node = readFound(bytes);
        if (node !== undefined && found.size < MAX_DISCOVERED) found.set(node.id, node);
        return false;
      },
    );
    return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  async link(nodeId: string, limitMs: number): Promise<HostLink> {
    if (this.#closed) throw nodesError("HOST_CLOSED", "The host closed its nodes.");
    const ephemeral = createEphemeralKeyPair();
    const subject = subjects.node(this.#bus.prefix, nodeId, "hello");
    const hello = signMessage(
      this.#identity,
      DOMAINS.hello,
      { host: this.hostId, key: ephemeral.publicKey },
      Buffer.from(subject),
    );
    let isMissing = false;
    let answer: { value: Record<string, unknown>; bytes: Uint8Array } | undefined;
    await requestMany(this.#bus, this.hostId, subject, hello, limitMs, (message) => {
      // Unauthenticated, but it only shortens the wait.
      if (message.noResponders === true) return (isMissing = true);
      const value = verifyMessage(nodeId, message.bytes, DOMAINS.answer, hash(hello));
      if (value !== undefined) answer = { value, bytes: message.bytes };
      else this.#counts.forged += 1;
      return value !== undefined;
    });
    if (answer === undefined) {
      const why = isMissing ? "is not connected" : `did not answer within ${Math.round(limitMs)} ms`;
      throw nodesError("NODE_UNREACHABLE", `The node ${nodeId} ${why}.`);
    }
    const { value, bytes } = answer;
    if (value["refused"] !== undefined)
      throw nodesError("NODE_NOT_PAIRED", `The node ${nodeId} does not know this host (${this.hostId}).`);
    const keys = deriveLinkKeys(ephemeral.privateKey, value["key"], hello, bytes);
    const link = Buffer.from(String(value["link"]), "hex");
    if (keys === undefined || link.length !== 16)
      throw nodesError("NODE_DECLARATION_INVALID", `The link answer of the node ${nodeId} is invalid.`);
    const declaration = readDeclaration(value["declaration"]);
    const agreed = { nodeId, hostId: this.hostId, link, keys, declaration };
    const another = () => this.link(nodeId, this.#times.pollMs);
    const made = new HostLink(this.#bus, agreed, this.#counts, this.#times, another);
    // Nodes may drop unused links.
    if (await made.confirm(limitMs)) return made;
    made.close();
    throw nodesError("NODE_UNREACHABLE", `The node ${nodeId} opened a link, but then did not answer.`);
  }

  pair(nodeId: string): Promise<PairingOffer> {
    return offerPairing(this.#bus, this.#identity, this.#name, nodeId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#bus.close();
  }
}

const MAX_DISCOVERED = 1_000;

function readFound(bytes: Uint8Array): DiscoveredNode | undefined {
  const { id, name, pairing } = readObject(bytes) ?? {};
  if (typeof id !== "string" || !/^[A-Z0-9]{56}$/.test(id) || typeof name !== "string") return undefined;
  return { id, name: name.slice(0, 64), pairing: pairing === true };
}
