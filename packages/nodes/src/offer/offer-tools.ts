import { type ContentBlock, HaftError, contentToText, type ToolOutcome, type ToolResult } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { untilAborted } from "@haft/utils";
import type { AnyNodeCommand, NodeCommandContext } from "../contract/command.ts";
import { nodesError } from "../errors.ts";
import { toNodeCommandName, type OfferedTool, type OfferingSession } from "./offered-tool.ts";

/**
 * Configures {@link offerTools}.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 * import type { OfferToolsOptions } from "@haft/nodes";
 * declare function openSession(hostId: string): Promise<Session>;
 * const parameters = { type: "object", properties: { path: { type: "string" } } };
 * const read = { name: "read", description: "Reads a file.", parameters, effects: ["read"] } as const;
 * const options: OfferToolsOptions = { tools: [read], openSession };
 * ```
 */
export interface OfferToolsOptions {
  /** Contains the tools for hosts. */
  readonly tools: readonly OfferedTool[];
  /**
   * Opens a host's session, whose policy, boundary, approvals and ledger apply to each call. Called at a
   * host's first call, and after its session ended.
   */
  readonly openSession: (hostId: string) => Promise<OfferingSession>;
}

/**
 * Offers tools of this machine as commands of a node.
 *
 * @example
 * ```ts
 * import type { KnownHost, Records, ToolOffer } from "@haft/nodes";
 * declare const offer: ToolOffer;
 * declare const hosts: Records<KnownHost>;
 * setInterval(() => void offer.keepOnly((hostId) => hosts.read(hostId) !== undefined), 60_000);
 * ```
 */
export interface ToolOffer {
  /** Contains a command for each tool: `tool.read`. */
  readonly commands: readonly AnyNodeCommand[];
  /** Closes the sessions of unknown hosts, with everything they run. */
  keepOnly(isKnown: (hostId: string) => boolean): Promise<void>;
  /** Closes all sessions. */
  close(): Promise<void>;
}

const MAX_MS = 3_600_000;
/** Bytes of a result: the session limits text, but images may be larger. */
const RESULT_BYTES = 8 * 1024 * 1024;
const DESCRIPTION = 1_024;
const OVER: ReadonlySet<string> = new Set(["SESSION_CLOSED", "SESSION_LEASE_LOST"]);

/**
 * Offers tools of this machine's host as commands of a node. Each host has a session, and `session.call()`
 * applies its policy besides the calling host's approvals.
 *
 * @example
 * ```ts
 * import { createNode, offerTools, type OfferToolsOptions } from "@haft/nodes";
 * declare const options: OfferToolsOptions;
 * const offer = offerTools(options);
 * const node = createNode({ id: "lab", commands: offer.commands });
 * process.once("SIGTERM", () => offer.close());
 * ```
 */
export function offerTools(options: OfferToolsOptions): ToolOffer {
  requireKnownOptions<OfferToolsOptions>("offerTools", options, { tools: true, openSession: true });
  const { tools, openSession } = options;
  const sessions = new HostSessions(openSession);
  const offered = new Set(tools.map(({ name }) => name));
  const commands = tools.map(({ name, description, parameters, effects }): AnyNodeCommand => ({
    name: toNodeCommandName(name),
    description: description.length > DESCRIPTION ? `${description.slice(0, DESCRIPTION - 1)}…` : description,
    parameters,
    effects,
    timeoutMs: MAX_MS,
    resultBytes: RESULT_BYTES,
    async run(params: Record<string, unknown>, context) {
      const outcome = await sessions.call(name, params, context);
      return withinBytes(resultOfOutcome(outcome, offered));
    },
  }));
  return {
    commands,
    keepOnly: (isKnown) => sessions.keepOnly(isKnown),
    close: () => sessions.keepOnly(() => false),
  };
}

class HostSessions {
  readonly #openSession: OfferToolsOptions["openSession"];
  readonly #open = new Map<string, Promise<OfferingSession>>();

  constructor(openSession: OfferToolsOptions["openSession"]) {
    this.#openSession = openSession;
  }

  async call(name: string, args: Record<string, unknown>, context: NodeCommandContext): Promise<ToolOutcome> {
    const { hostId, invocationId, signal } = context;
    const session = await endingWith(signal, this.#sessionOf(hostId));
    const later = Promise.withResolvers<ToolOutcome>();
    const unsubscribe = session.subscribe(({ type, toolCallId, outcome }) => {
      if (type === "tool-end" && toolCallId === invocationId && outcome !== undefined) later.resolve(outcome);
    });
    try {
      const request = { id: invocationId, name, arguments: args };
      const outcome = await session.call(request, { signal });
      if (outcome.kind !== "ok" && OVER.has(outcome.code)) await this.#forget(hostId, session);
      if (outcome.kind !== "pending") return outcome;
      // The host does not wait, and a call reported as not run must not run later.
      return session.releaseApproval(outcome.approvalId) ? outcome : await later.promise;
    } finally {
      unsubscribe();
    }
  }

  async keepOnly(isKnown: (hostId: string) => boolean): Promise<void> {
    const removed = [...this.#open].filter(([hostId]) => !isKnown(hostId));
    for (const [hostId] of removed) this.#open.delete(hostId);
    await Promise.all(removed.map(async ([, opening]) => (await opening.catch(() => undefined))?.close()));
  }

  #sessionOf(hostId: string): Promise<OfferingSession> {
    const known = this.#open.get(hostId);
    if (known !== undefined) return known;
    const opening = this.#openSession(hostId);
    this.#open.set(hostId, opening);
    opening.catch(() => this.#open.get(hostId) === opening && this.#open.delete(hostId));
    return opening;
  }

  async #forget(hostId: string, session: OfferingSession): Promise<void> {
    const opening = this.#open.get(hostId);
    if ((await opening) === session && this.#open.get(hostId) === opening) this.#open.delete(hostId);
  }
}

/** A call may end while a sandbox opens. */
async function endingWith(signal: AbortSignal, opening: Promise<OfferingSession>): Promise<OfferingSession> {
  try {
    return await untilAborted(opening, signal);
  } catch (thrown) {
    if (!signal.aborted || !HaftError.is(thrown)) throw thrown;
    const { code, message, category } = thrown;
    throw new HaftError(code, message, { category, receipt: "none" });
  }
}

/** Drops details before the model's text. */
function withinBytes(result: ToolResult): ToolResult {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes <= RESULT_BYTES
    ? result
    : { ...result, details: { left: "The details were too long to send." } };
}

const WAITING: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "APPROVAL_WAITING"]);

/**
 * Converts a session's outcome to an answer.
 *
 * @param offered tool names that a host may learn
 * @throws HaftError `NODE_APPROVAL_NEEDED`, `NODE_REFUSED`, or the tool's error, each with its receipt
 */
function resultOfOutcome(outcome: ToolOutcome, offered: ReadonlySet<string>): ToolResult {
  const { kind, content, details, receipt } = outcome;
  if (kind === "ok")
    return { content: content.map((block) => seenFromElsewhere(block, offered)), details, receipt };
  const { code } = outcome;
  const reason = wordsOf(details, "reason") ?? wordsOf(details, "message") ?? contentToText(content);
  const fix = wordsOf(details, "fix");
  const approvalId = kind === "pending" ? outcome.approvalId : wordsOf(details, "approvalId");
  if (WAITING.has(code) && approvalId !== undefined) {
    const message = `A person must approve this call on the node first; it was not run. The approval there is ${approvalId}: ${reason}`;
    throw nodesError("NODE_APPROVAL_NEEDED", message, { details: { code, approvalId } });
  }
  if (kind === "blocked") {
    const there = fix === undefined ? {} : { fix: `For the operator of the node: ${fix}` };
    throw nodesError("NODE_REFUSED", `The node's own rules refuse it: ${reason}`, {
      ...there,
      details: { code },
    });
  }
  const category = kind === "error" ? outcome.category : "operational";
  throw new HaftError(code, reason, { category, receipt, ...(fix !== undefined && { fix }) });
}

function wordsOf(details: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = details[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The host cannot read the rest of a cut result on the node. */
function seenFromElsewhere(block: ContentBlock, offered: ReadonlySet<string>): ContentBlock {
  if (block.type !== "text") return block;
  const text = block.text.replace(/To see the rest: read (\{[^\n]*\})/g, (_, args: string) =>
    offered.has("read")
      ? `To see the rest: the command ${toNodeCommandName("read")} of this node with the params ${args}`
      : "The rest stays on the node, which does not offer to read it.",
  );
  return text === block.text ? block : { ...block, text };
}
