import type { HaftError, Logger, ToolResult } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { randomUUID } from "node:crypto";
import { computeDigest } from "../contract/canonical-json.ts";
import { declarationChanges } from "../contract/declaration-changes.ts";
import { listOffers } from "../contract/declaration.ts";
import type { Invocation } from "../contract/invocation.ts";
import { memoryRecords, type Records } from "../contract/records.ts";
import type { NodeLink, NodeTransport, PairingOffer } from "../contract/transport.ts";
import {
  toOfferName,
  type OpenedWorkspace,
  WORKSPACE_PREFIX,
  type WorkspaceOpening,
} from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";
import type { ApprovedNode, NodeCall, Nodes, NodesOptions, NodeStatus, WorkspaceCall } from "./nodes.ts";
import { type NodePairing, getNodeState } from "./pairing.ts";
import { parseAnswer } from "./parse-answer.ts";
import {
  compileDenials,
  isWorkspace,
  type NodeTarget,
  type NodeSelector,
  resolveNode,
  resolveWorkspace,
  type WorkspaceTarget,
  type WorkspaceSelector,
} from "./resolve-node.ts";
import { createRevokedError, type RunningCall, RunningCalls } from "./running-calls.ts";

/** Milliseconds to open and confirm a link. */
const REACH_MS = 5_000;
const PRESENCE_MS = 1_500;
const OPEN_MS = 30_000;
/** Bytes of an answer besides its result. */
const ENVELOPE = 4_096;
const DEFAULT_MS = 60_000;

/**
 * Creates the nodes of a host.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts
 * import { createLinkTransport, createNodes, openIdentity, openPairings } from "@haft/nodes";
 * import { openNatsBus } from "@haft/nodes/nats";
 * const bus = await openNatsBus({ servers: "nats://nats.internal:4222" });
 * const transport = createLinkTransport({ bus, identity: openIdentity("/var/lib/agent/host"), name: "agents" });
 * const nodes = createNodes({ transport, pairings: openPairings("/var/lib/agent/nodes") });
 * console.table(await nodes.list(), ["name", "state", "present"]);
 * ```
 */
export function createNodes(options: NodesOptions): Nodes {
  requireKnownOptions<NodesOptions>("createNodes", options, {
    transport: true,
    pairings: true,
    policy: true,
    logger: true,
  });
  return new HostNodes(options);
}

class HostNodes implements Nodes {
  readonly #transport: NodeTransport;
  readonly #pairings: Records<NodePairing>;
  readonly #denial: ReturnType<typeof compileDenials>;
  readonly #logger: Pick<Logger, "warn"> | undefined;
  readonly #links = new Map<string, Promise<NodeLink>>();
  readonly #running: RunningCalls;
  #closed = false;

  constructor({ transport, pairings = memoryRecords(), policy, logger }: NodesOptions) {
    this.#transport = transport;
    this.#pairings = pairings;
    this.#denial = compileDenials(policy?.deny ?? []);
    this.#logger = logger;
    this.#running = new RunningCalls(pairings, (id, reason) => this.#abandon(id, reason));
  }

  async list(options: { use?: boolean } = {}): Promise<readonly NodeStatus[]> {
    requireKnownOptions<typeof options>("list", options, { use: true });
    const { use = false } = options;
    this.#requireOpen();
    // Nodes of the host itself need no pairing.
    const local = this.#transport.pair === undefined ? await this.#transport.discover(PRESENCE_MS) : [];
    const names = new Map(local.map(({ id, name }) => [id, name]));
    const ids = new Set([...this.#pairings.ids(), ...names.keys()]);
    return await Promise.all([...ids].toSorted().map((id) => this.#status(id, names.get(id), use)));
  }

  async pair(id: string): Promise<PairingOffer & { accept(): void }> {
    this.#requireOpen();
    if (this.#transport.pair === undefined)
      throw nodesError("NODE_OPTIONS_INVALID", "These nodes belong to the host and need no pairing.");
    const offer = await this.#transport.pair(id);
    const accept = () => {
      // Keys may have a new owner, so approvals lapse.
      this.#abandon(id, nodesError("NODE_REVOKED", "The node was paired again.", { receipt: "unknown" }));
      this.#pairings.write(id, { name: offer.node.name, pairedAt: Date.now() });
    };
    return { ...offer, accept };
  }

  async approve(
    id: string,
    options: { commands?: readonly string[]; digest?: string; name?: string } = {},
  ): Promise<NodeStatus> {
    // A misspelled option would approve everything.
    requireKnownOptions<typeof options>("approve", options, { commands: true, digest: true, name: true });
    this.#requireOpen();
    const before = this.#pairings.read(id);
    if (before?.revokedAt !== undefined)
      throw nodesError("NODE_REVOKED", `The node ${before.name} was revoked.`);
    if (before === undefined && this.#transport.pair !== undefined)
      throw nodesError("NODE_UNKNOWN", `No node ${id} is paired.`);
    const { declaration } = await this.#linkTo(id);
    if (options.digest !== undefined && options.digest !== computeDigest(declaration))
      throw nodesError("NODE_CHANGED", "The node's declaration changed after it was reviewed.");
    const offered = listOffers(declaration);
    const commands = options.commands ?? offered;
    const unknown = commands.find((command) => !offered.includes(command));
    if (unknown !== undefined)
      throw nodesError(
        "NODE_NOT_OFFERED",
        `The node does not offer ${JSON.stringify(unknown.slice(0, 80))}.`,
        { fix: "Approve only commands and workspaces that it offers." },
      );
    const name = options.name ?? before?.name ?? (await this.#statedName(id));
    requireName(id, name, this.#pairings.ids());
    const others = this.#pairings.ids().filter((other) => {
      const pairing = other === id ? undefined : this.#pairings.read(other);
      return pairing?.name === name && pairing.revokedAt === undefined;
    });
    if (others.length > 0) {
      const ids = [id, ...others].toSorted();
      const message = `Two nodes would have the name ${JSON.stringify(name)}: ${ids.join(", ")}.`;
      throw nodesError("NODE_AMBIGUOUS", message, {
        details: { ids },
        fix: "Approve the node under another name.",
      });
    }
    const approved = { at: Date.now(), declaration, commands: [...commands].toSorted() };
    this.#pairings.write(id, { name, pairedAt: before?.pairedAt ?? Date.now(), approved });
    return await this.#status(id, name);
  }

  revoke(id: string): void {
    const pairing = this.#pairings.read(id) ?? { name: id, pairedAt: Date.now() };
    this.#pairings.write(id, { ...pairing, revokedAt: Date.now() });
    this.#abandon(id, createRevokedError(pairing.name));
  }

  approved(): readonly ApprovedNode[] {
    return this.#pairings.ids().flatMap((id) => {
      const pairing = this.#pairings.read(id);
      if (pairing?.approved === undefined || getNodeState(pairing) !== "approved") return [];
      const { name, approved } = pairing;
      const offers = approved.commands.filter((offer) => this.#denial(name, id, offer) === undefined);
      const commands = offers.filter((offer) => !isWorkspace(offer));
      const workspaces = offers.filter(isWorkspace).map((offer) => offer.slice(WORKSPACE_PREFIX.length));
      return offers.length === 0 ? [] : { id, name, commands, workspaces };
    });
  }

  resolve(selector: NodeSelector): NodeTarget {
    this.#requireOpen();
    return resolveNode(selector, this.#pairings, this.#denial);
  }

  resolveWorkspace(selector: WorkspaceSelector): WorkspaceTarget {
    this.#requireOpen();
    return resolveWorkspace(selector, this.#pairings, this.#denial);
  }

  async openWorkspace(call: WorkspaceCall): Promise<OpenedWorkspace> {
    const { target, timeoutMs = OPEN_MS, signal } = call;
    const requireAsDecided = () => requireSame(this.resolveWorkspace(toSelector(target)), target);
    requireAsDecided();
    const running = this.#running.begin(target.id, toOfferName(target.workspace), signal);
    const openOver = async () => {
      const link = await this.#linkTo(target.id, Math.min(timeoutMs, REACH_MS));
      this.#noteChange(target.id, link);
      requireAsDecided();
      const { name: workspace, access, network } = target.workspace;
      const opening = { workspace, declared: target.digest, access, network, limits: {}, ...wishesOf(call) };
      return await link.open(opening, { signal: running.signal, limitMs: timeoutMs });
    };
    return await openTracked(openOver, running);
  }

  async invoke({
    target,
    params,
    timeoutMs,
    signal,
  }: NodeCall): Promise<ToolResult<Record<string, unknown>>> {
    this.#requireAsDecided(target);
    const limitMs = Math.min(timeoutMs ?? DEFAULT_MS, target.command.timeoutMs);
    const began = performance.now();
    const running = this.#running.begin(target.id, target.command.name, signal);
    try {
      const link = await this.#linkTo(target.id, Math.min(limitMs, REACH_MS));
      this.#noteChange(target.id, link);
      this.#requireAsDecided(target);
      running.signal.throwIfAborted();
      const timeLeftMs = limitMs - (performance.now() - began);
      const invocation: Invocation = {
        id: randomUUID(),
        host: this.#transport.hostId,
        command: target.command.name,
        declared: target.digest,
        params,
        timeLeftMs,
      };
      const answer = await Promise.race([
        link.invoke(invocation, { signal: running.signal, mostBytes: target.command.resultBytes + ENVELOPE }),
        running.abandoned,
      ]);
      return parseAnswer(answer, target);
    } finally {
      running.done();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closed = nodesError("HOST_CLOSED", "The host closed its nodes.", { receipt: "unknown" });
    for (const id of new Set([...this.#links.keys(), ...this.#running.ids()])) this.#abandon(id, closed);
    await this.#running.ended();
    await this.#transport.close();
  }

  async #status(id: string, statedName: string | undefined, wantsUse = false): Promise<NodeStatus> {
    const pairing = this.#pairings.read(id) ?? { name: statedName ?? id, pairedAt: 0 };
    const link = pairing.revokedAt === undefined ? await this.#present(id) : undefined;
    if (link !== undefined) this.#noteChange(id, link);
    const use = wantsUse ? await link?.use?.(PRESENCE_MS) : undefined;
    const now = this.#pairings.read(id) ?? pairing;
    const declared = link?.declaration ?? now.changed ?? now.approved?.declaration;
    const { approved, changed } = now;
    return {
      id,
      name: now.name,
      state: getNodeState(now),
      present: link !== undefined,
      ...(declared && { declared, digest: computeDigest(declared) }),
      approved: approved?.commands ?? [],
      ...(use && { use }),
      ...(approved && changed && { changes: declarationChanges(approved.declaration, changed) }),
    };
  }

  async #present(id: string): Promise<NodeLink | undefined> {
    try {
      const link = await this.#linkTo(id, PRESENCE_MS);
      return (await link.answers(PRESENCE_MS)) ? link : undefined;
    } catch {
      return undefined;
    }
  }

  async #statedName(id: string): Promise<string> {
    const found = await this.#transport.discover(PRESENCE_MS);
    return found.find((node) => node.id === id)?.name ?? id;
  }

  /** The decision may be old, so this checks directly before dispatch. */
  #requireAsDecided({ id, command, digest }: NodeTarget): void {
    if (this.resolve({ node: id, command: command.name }).digest === digest) return;
    throw nodesError("NODE_CHANGED", `${command.name} changed after the decision about the call.`);
  }

  async #linkTo(id: string, limitMs = REACH_MS): Promise<NodeLink> {
    const known = this.#links.get(id);
    if (known === undefined) return await this.#open(id, limitMs);
    const link = await known.catch(() => undefined);
    if (link !== undefined && !link.closed && (await link.answers(Math.min(limitMs, PRESENCE_MS))))
      return link;
    link?.close();
    const newer = this.#links.get(id);
    return await (newer === undefined || newer === known ? this.#open(id, limitMs) : newer);
  }

  #open(id: string, limitMs: number): Promise<NodeLink> {
    const opening = this.#transport.link(id, limitMs);
    this.#links.set(id, opening);
    opening.catch(() => this.#links.get(id) === opening && this.#links.delete(id));
    return opening;
  }

  /** Holds the node back if its declaration differs from the approval. */
  #noteChange(id: string, { declaration }: NodeLink): void {
    const pairing = this.#pairings.read(id);
    const { approved } = pairing ?? {};
    if (pairing === undefined || approved === undefined || pairing.revokedAt !== undefined) return;
    if (computeDigest(declaration) === computeDigest(approved.declaration)) return;
    if (pairing.changed === undefined)
      this.#logger?.warn(
        `The node ${pairing.name} is held back: its declaration differs from the approved declaration.`,
        { node: id },
      );
    this.#pairings.write(id, { ...pairing, changed: declaration });
  }

  #abandon(id: string, reason: HaftError): void {
    this.#running.abandon(id, reason);
    const link = this.#links.get(id);
    this.#links.delete(id);
    link?.then((open) => open.close()).catch(() => undefined);
  }

  #requireOpen(): void {
    if (this.#closed) throw nodesError("HOST_CLOSED", "The host closed its nodes.");
  }
}

function toSelector({ id, workspace }: WorkspaceTarget): WorkspaceSelector {
  return { node: id, workspace: workspace.name };
}

function requireSame(now: WorkspaceTarget, { workspace, digest }: WorkspaceTarget): void {
  if (now.digest === digest) return;
  const message = `The workspace ${workspace.name} changed after the decision about it.`;
  throw nodesError("NODE_CHANGED", message);
}

function wishesOf({ access, network, limits }: WorkspaceCall): Partial<WorkspaceOpening> {
  return {
    ...(access !== undefined && { access }),
    ...(network !== undefined && { network }),
    ...(limits !== undefined && { limits }),
  };
}

async function openTracked(
  open: () => Promise<OpenedWorkspace>,
  running: RunningCall,
): Promise<OpenedWorkspace> {
  try {
    const opened = await open();
    running.onAbandoned = async (reason) => {
      // The reason completes a worker's sentence.
      const why = reason.message.replace(/^The /, "the ").replace(/\.$/, "");
      opened.stream.destroy(new Error(why, { cause: reason }));
      await opened.close().catch(() => undefined);
    };
    void opened.ended.then(running.done);
    return opened;
  } catch (thrown) {
    running.done();
    throw thrown;
  }
}

/** Rules and people read the name, so it must be plain and not another node's id. @throws HaftError `NODE_OPTIONS_INVALID` */
function requireName(id: string, name: string, ids: readonly string[]): void {
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._'-]{0,63}$/u.test(name) && name.trim() === name;
  const isId = name !== id && (/^U[A-Z2-7]{55}$/.test(name) || ids.includes(name));
  if (isPlain && !isId) return;
  const message = `${JSON.stringify(name.slice(0, 80))} cannot be the name of a node: ${isId ? "it is an id" : "a name starts with a letter or digit and contains letters, digits, spaces, dots, _, ' and -"}.`;
  throw nodesError("NODE_OPTIONS_INVALID", message, { fix: "Approve the node under another name." });
}
