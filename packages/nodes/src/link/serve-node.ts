import { type Logger, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import type { Answer, Invocation } from "../contract/invocation.ts";
import type { Records } from "../contract/records.ts";
import { nodesError } from "../errors.ts";
import type { Identity } from "../keys/identity.ts";
import type { HaftNode } from "../node/create-node.ts";
import { answerDuplicateChecks } from "./duplicate-identity.ts";
import { type LinkFrame, FRAME_OVERHEAD, type FrameHead, readLinkId, openFrame, sealFrame } from "./frame.ts";
import {
  deriveLinkKeys,
  DOMAINS,
  createEphemeralKeyPair,
  hash,
  type LinkCounts,
  type LinkKeys,
} from "./key-agreement.ts";
import type { KnownHost } from "./known-hosts.ts";
import { type BusMessage, type MessageBus, subjects } from "./message-bus.ts";
import { openPairingWindow, type PendingPairing } from "./pairing/pair-node.ts";
import type { PairingWindow } from "./pairing/pairing-window.ts";
import { readObject } from "./read-object.ts";
import { verifyMessage, readUnverified, signMessage, SigningBudget } from "./signed-message.ts";
import { StallClock } from "./stall-clock.ts";
import { NodeStreams, DEFAULT_STREAM_TIMES, type StreamTimes } from "./streams/node-streams.ts";

/**
 * Configures {@link serveNode}.
 *
 * @example
 * ```ts
 * import { openKnownHosts, openIdentity, type MessageBus, type ServeNodeOptions } from "@haft/nodes";
 * declare const bus: MessageBus;
 * const identity = openIdentity("/var/lib/node");
 * const options: ServeNodeOptions = { bus, identity, hosts: openKnownHosts("/var/lib/node/hosts"), logger: console };
 * ```
 */
export interface ServeNodeOptions {
  /** Carries the messages. The served node closes it. */
  readonly bus: MessageBus;
  /** Identifies the node; both ids must be equal. */
  readonly identity: Identity;
  /** Contains the known hosts by id. Each message reads them, so a removal applies immediately. */
  readonly hosts: Records<KnownHost>;
  /** Returns whether another program of this machine is pairing the node (`pairNode`), and answers instead. */
  readonly isPairingExternally?: () => boolean;
  /** Receives warnings about unreadable records, whose hosts count as unknown. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Controls a node that hosts on other machines can reach.
 *
 * @example
 * ```ts
 * import type { ServedNode } from "@haft/nodes";
 * declare const served: ServedNode;
 * const pairing = await served.pair(AbortSignal.timeout(120_000));
 * console.log(`${pairing.hostName} shows the code ${pairing.code}?`);
 * pairing.accept();
 * ```
 */
export interface ServedNode {
  /** Returns the numbers of invalid messages. */
  counts(): LinkCounts;
  /**
   * Waits for one host, and resolves to the code to show. `accept`, `refuse` or an abort ends the pairing.
   *
   * @throws HaftError `NODE_PAIRING_FAILED`
   */
  pair(signal: AbortSignal): Promise<PendingPairing>;
  /** Forgets a host immediately: its messages are ignored. */
  forget(hostId: string): void;
  /** Stops serving, and closes workspaces opened over the bus. The node itself remains. */
  close(): Promise<void>;
}

/**
 * Serves a node over a bus. Hosts can reach it when this resolves.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts
 * import { createNode, openIdentity, openKnownHosts, serveNode, type MessageBus } from "@haft/nodes";
 * declare const bus: MessageBus;
 * const identity = openIdentity("/var/lib/node");
 * const node = createNode({ id: identity.id, name: "Workshop", commands: [] });
 * const served = await serveNode(node, { bus, identity, hosts: openKnownHosts("/var/lib/node/hosts") });
 * process.once("SIGTERM", () => served.close());
 * ```
 */
export async function serveNode(node: HaftNode, options: ServeNodeOptions): Promise<ServedNode> {
  requireKnownOptions<ServeNodeOptions>("serveNode", options, {
    bus: true,
    identity: true,
    hosts: true,
    isPairingExternally: true,
    logger: true,
  });
  return await serveNodeWithTimes(node, options, DEFAULT_STREAM_TIMES);
}

export async function serveNodeWithTimes(
  node: HaftNode,
  options: ServeNodeOptions,
  times: StreamTimes,
): Promise<ServedNode> {
  if (options.identity.id !== node.id)
    throw nodesError("NODE_OPTIONS_INVALID", "The id of the node must be the id of its identity.");
  const served = new Served(node, options, times);
  await options.bus.flush();
  return served;
}

class Served implements ServedNode {
  readonly #node: HaftNode;
  readonly #bus: MessageBus;
  readonly #identity: Identity;
  readonly #hosts: Records<KnownHost>;
  readonly #links = new NodeLinks();
  readonly #streams: NodeStreams;
  readonly #counts: LinkCounts = { forged: 0, replayed: 0 };
  readonly #clock = new StallClock();
  readonly #unsubscribe: (() => void)[];
  readonly #long = new Map<string, Buffer>();
  readonly #signing = new SigningBudget(SIGNATURES_A_SECOND);
  #window: PairingWindow | undefined;

  readonly #pairingElsewhere: () => boolean;
  readonly #logger: Pick<Logger, "warn"> | undefined;

  constructor(
    node: HaftNode,
    { bus, identity, hosts, isPairingExternally, logger }: ServeNodeOptions,
    times: StreamTimes,
  ) {
    this.#logger = logger;
    this.#streams = new NodeStreams(node, bus.maxBytes - FRAME_OVERHEAD, times);
    this.#pairingElsewhere = isPairingExternally ?? (() => false);
    this.#node = node;
    this.#bus = bus;
    this.#identity = identity;
    this.#hosts = hosts;
    const on = (subject: string, take: (message: BusMessage) => void) => bus.subscribe(subject, take);
    this.#unsubscribe = [
      on(subjects.who(bus.prefix), (message) => this.#introduce(message)),
      on(subjects.node(bus.prefix, node.id, "hello"), (message) => this.#greet(message)),
      on(subjects.node(bus.prefix, node.id, "pair"), (message) => this.#pair(message)),
      on(subjects.node(bus.prefix, node.id, "link"), (message) => this.#take(message)),
      answerDuplicateChecks(bus, identity, node.boot),
    ];
  }

  counts(): LinkCounts {
    return { ...this.#counts };
  }

  pair(signal: AbortSignal): Promise<PendingPairing> {
    if (this.#window !== undefined)
      throw nodesError("NODE_PAIRING_FAILED", "The node already waits for a host to pair with.");
    return openPairingWindow(this.#node, this.#hosts, signal, (window) => void (this.#window = window));
  }

  forget(hostId: string): void {
    this.#hosts.remove(hostId);
    this.#drop(hostId);
  }

  #drop(host: string): void {
    this.#links.removeHost(host);
    void this.#streams.endHost(host);
  }

  async close(): Promise<void> {
    await this.#streams.close();
    for (const end of this.#unsubscribe) end();
    this.#clock.close();
    await this.#bus.close();
  }

  #introduce({ reply }: BusMessage): void {
    const { id, name } = this.#node;
    const pairing = this.#window !== undefined || this.#pairingElsewhere();
    this.#answer(reply, Buffer.from(JSON.stringify({ id, name, pairing })));
  }

  #pair({ bytes, reply }: BusMessage): void {
    if (this.#window === undefined && this.#pairingElsewhere()) return;
    const answer =
      this.#window === undefined ? readObject(bytes) && { refused: "closed" } : this.#window.take(bytes);
    if (answer !== undefined) this.#answer(reply, Buffer.from(JSON.stringify(answer)));
  }

  #greet({ subject, bytes, reply }: BusMessage): void {
    const host = readUnverified(bytes)?.["host"];
    if (typeof host !== "string" || !this.#signing.has()) return;
    const hello = verifyMessage(host, bytes, DOMAINS.hello, Buffer.from(subject));
    if (hello === undefined) {
      this.#counts.forged += 1;
      return;
    }
    const sign = (value: object) => signMessage(this.#identity, DOMAINS.answer, value, hash(bytes));
    if (!this.#knows(host)) return this.#answer(reply, sign({ refused: "host" }));
    const ephemeral = createEphemeralKeyPair();
    const link = randomBytes(16);
    const answer = sign({
      link: link.toString("hex"),
      key: ephemeral.publicKey,
      declaration: this.#node.declaration,
    });
    const keys = deriveLinkKeys(ephemeral.privateKey, hello["key"], bytes, answer);
    if (keys === undefined) return;
    this.#links.add({ name: link.toString("hex"), link, host, keys, heard: 0, said: 0, isConfirmed: false });
    this.#answer(reply, answer);
  }

  #take({ subject, bytes, reply }: BusMessage): void {
    const name = readLinkId(bytes);
    if (name === undefined || reply === undefined) return;
    const end = this.#links.find(name);
    if (end === undefined) {
      if (this.#signing.has())
        this.#answer(reply, signMessage(this.#identity, DOMAINS.unknown, {}, Buffer.from(name, "hex")));
      return;
    }
    const frame = openFrame(end.keys.host, bytes, subject, "host");
    // Answers go only to the host's inbox.
    const isOurs = reply.startsWith(`${subjects.inbox(this.#bus.prefix, end.host, name)}.`);
    if (frame === undefined || !isOurs || frame.head.op === "answer") {
      this.#counts.forged += 1;
      return;
    }
    if (frame.head.seq <= end.heard) {
      this.#counts.replayed += 1;
      return;
    }
    end.heard = frame.head.seq;
    if (!this.#knows(end.host)) return this.#drop(end.host);
    this.#links.use(end);
    void this.#act(end, frame, reply).catch(() => undefined);
  }

  async #act(end: NodeEnd, frame: LinkFrame, reply: string): Promise<void> {
    const { head, body } = frame;
    const { op, id, seq } = head;
    const say = (more: Partial<FrameHead>, bytes: Uint8Array) =>
      this.#seal(end, reply, { ...more, id, re: seq }, bytes);
    switch (op) {
      case "invoke": {
        const invocation = this.#invocationOf(end.host, head, body);
        if (invocation !== undefined) this.#say(end, reply, head, await this.#node.invoke(invocation));
        return;
      }
      case "recall": {
        const answer = await this.#node.recall(end.host, id);
        if (answer !== "running") return this.#say(end, reply, head, answer);
        return say({ running: true }, NOTHING);
      }
      case "abort":
        this.#node.abort(end.host, id);
        return;
      case "pull":
        return await this.#piece(end, reply, head);
      case "ping":
        return say({}, head.use === true ? Buffer.from(JSON.stringify(await this.#node.use())) : NOTHING);
      case "open":
        return await this.#streams.open(end.host, frame, say);
      case "stream":
        return this.#streams.take(end.host, frame, say);
      case "answer":
    }
  }

  #knows(host: string): boolean {
    try {
      return this.#hosts.read(host) !== undefined;
    } catch (thrown) {
      this.#logger?.warn(
        `A host's record cannot be read, so the host is refused: ${getErrorMessage(thrown)}`,
        { host },
      );
      return false;
    }
  }

  #invocationOf(host: string, { id, left }: FrameHead, body: Buffer): Invocation | undefined {
    const waited = this.#clock.waitedMs();
    const { command, declared, params } = readObject(body) ?? {};
    if (typeof command !== "string" || typeof declared !== "string") return undefined;
    if (typeof params !== "object" || params === null || id === "") return undefined;
    return { id, host, command, declared, params: { ...params }, timeLeftMs: left - waited };
  }

  #say(end: NodeEnd, reply: string, { id, seq }: FrameHead, answer: Answer): void {
    const bytes = Buffer.from(JSON.stringify(answer));
    const most = this.#bus.maxBytes - FRAME_OVERHEAD;
    if (bytes.length > most) this.#keep(`${end.host} ${id}`, bytes);
    this.#seal(end, reply, { id, re: seq, total: bytes.length }, bytes.subarray(0, most));
  }

  async #piece(end: NodeEnd, reply: string, { id, seq, from = 0 }: FrameHead): Promise<void> {
    const key = `${end.host} ${id}`;
    let bytes = this.#long.get(key);
    if (bytes === undefined) {
      const answer = await this.#node.recall(end.host, id);
      if (answer === "running") return;
      this.#keep(key, (bytes = Buffer.from(JSON.stringify(answer))));
    }
    const piece = bytes.subarray(Math.max(0, from), Math.max(0, from) + this.#bus.maxBytes - FRAME_OVERHEAD);
    this.#seal(end, reply, { id, re: seq, total: bytes.length }, piece);
  }

  #keep(key: string, bytes: Buffer): void {
    this.#long.delete(key);
    this.#long.set(key, bytes);
    if (this.#long.size > MAX_LONG) this.#long.delete(this.#long.keys().next().value!);
  }

  #seal(end: NodeEnd, reply: string, head: Partial<FrameHead> & { id: string }, body: Uint8Array): void {
    const all: FrameHead = { op: "answer", seq: ++end.said, left: 0, ...head };
    this.#answer(reply, sealFrame(end.keys.node, end.link, reply, "node", all, body));
  }

  #answer(reply: string | undefined, bytes: Uint8Array): void {
    // Other subjects would let attackers publish.
    if (reply === undefined || !reply.startsWith(`${this.#bus.prefix}.inbox.`)) return;
    try {
      this.#bus.publish(reply, bytes);
    } catch {
      // The host queries again.
    }
  }
}

const NOTHING = Buffer.alloc(0);
const MAX_LONG = 4;
/** Limits work for unauthenticated requests. */
const SIGNATURES_A_SECOND = 100;

interface NodeEnd {
  readonly name: string;
  readonly link: Buffer;
  readonly host: string;
  readonly keys: LinkKeys;
  heard: number;
  said: number;
  /** The key was used: links of a replayed greeting lack usable keys. */
  isConfirmed: boolean;
}

const MAX_UNCONFIRMED = 64;
const MAX_CONFIRMED = 32;

/** Stores 32 links per host and 64 unused links, dropping the least recently used. */
export class NodeLinks {
  readonly #links = new Map<string, NodeEnd>();

  find(name: string): NodeEnd | undefined {
    return this.#links.get(name);
  }

  add(end: NodeEnd): void {
    this.#links.set(end.name, end);
    this.#bound(end.host, false, MAX_UNCONFIRMED);
  }

  use(end: NodeEnd): void {
    this.#links.delete(end.name);
    this.#links.set(end.name, end);
    if (end.isConfirmed) return;
    end.isConfirmed = true;
    this.#bound(end.host, true, MAX_CONFIRMED);
  }

  removeHost(host: string): void {
    for (const end of this.#links.values()) if (end.host === host) this.#links.delete(end.name);
  }

  #bound(host: string, isConfirmed: boolean, most: number): void {
    const same = [...this.#links.values()].filter(
      (end) => end.host === host && end.isConfirmed === isConfirmed,
    );
    for (const end of same.slice(0, Math.max(0, same.length - most))) this.#links.delete(end.name);
  }
}
