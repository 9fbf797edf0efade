import { HaftError, type ToolOutcome, type ToolResult } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { AnyNodeCommand, NodeCommandContext } from "../contract/command.ts";
import { commandOf, type OfferedTool, type OfferingSession } from "./offered-tool.ts";
import { resultOfOutcome } from "./result-of-outcome.ts";

/** Options of {@link offerTools}. */
export interface OfferToolsOptions {
  /** Those that hosts may call. */
  readonly tools: readonly OfferedTool[];
  /**
   * Opens the session in which the calls of one host are made: its policy, boundary, approvals and ledger decide about each. Asked
   * at the first call of a host, and again once that session is gone.
   */
  readonly openSession: (hostId: string) => Promise<OfferingSession>;
}

/** Tools of this machine as commands of a node. */
export interface ToolOffer {
  /** One for each tool: `tool.read`. */
  readonly commands: readonly AnyNodeCommand[];
  /** Closes the sessions of all hosts but those that are known: what they run is ended. */
  keepOnly(isKnown: (hostId: string) => boolean): Promise<void>;
  /** Closes all sessions. */
  close(): Promise<void>;
}

const MOST_MS = 3_600_000;
/** Bytes of one result. What a session answers is bounded by it; pictures are what may be long. */
const RESULT_BYTES = 8 * 1024 * 1024;
const DESCRIPTION = 1_024;
/** Codes of a session in which nothing is called any more. */
const OVER: ReadonlySet<string> = new Set(["SESSION_CLOSED", "SESSION_LEASE_LOST"]);

/**
 * Offers tools of a host of this machine as commands of a node. Each host that calls has a session of its own, and every call goes
 * through `session.call()`: what denies or asks there holds, whatever the calling host approved.
 */
export function offerTools(options: OfferToolsOptions): ToolOffer {
  requireKnownOptions<OfferToolsOptions>("offerTools", options, { tools: true, openSession: true });
  const { tools, openSession } = options;
  const sessions = new HostSessions(openSession);
  const offered = new Set(tools.map(({ name }) => name));
  const commands = tools.map(({ name, description, parameters, effects }): AnyNodeCommand => ({
    name: commandOf(name),
    description: description.length > DESCRIPTION ? `${description.slice(0, DESCRIPTION - 1)}…` : description,
    parameters,
    effects,
    timeoutMs: MOST_MS,
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
      // The host does not wait so long. What it was told did not run must not run afterwards.
      return session.releaseApproval(outcome.approvalId) ? outcome : await later.promise;
    } finally {
      unsubscribe();
    }
  }

  async keepOnly(isKnown: (hostId: string) => boolean): Promise<void> {
    const gone = [...this.#open].filter(([hostId]) => !isKnown(hostId));
    for (const [hostId] of gone) this.#open.delete(hostId);
    await Promise.all(gone.map(async ([, opening]) => (await opening.catch(() => undefined))?.close()));
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

/** Opening a sandbox takes a while, and the call may be over by then: nothing was begun. */
async function endingWith(signal: AbortSignal, opening: Promise<OfferingSession>): Promise<OfferingSession> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    const { code, message, category } = signal.reason as HaftError;
    aborted.reject(new HaftError(code, message, { category, receipt: "none" }));
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([opening, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What the model reads goes before what programs do. */
function withinBytes(result: ToolResult): ToolResult {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes <= RESULT_BYTES
    ? result
    : { ...result, details: { left: "The details were too long to be sent." } };
}
