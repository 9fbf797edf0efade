import { type ApprovalAnswer, HaftError, messageOf, type ToolOutcome, type ToolUpdate } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { randomBytes } from "node:crypto";
import { mcpError } from "../errors.ts";
import { describeTool } from "./describe-tool.ts";
import { instructionsFor } from "./instructions.ts";
import { resultOfOutcome } from "./result-of-outcome.ts";
import type { ServeOptions, SessionSource } from "./session-source.ts";
import { type Waiting, WaitingCalls, type WantedCall } from "./waiting-calls.ts";

/** Calls of one conversation that may run at a time: a client that floods has the rest refused. */
const MOST_CALLS = 256;

/** Who makes a call, and hears of it. */
export interface Caller {
  /** Aborts when it is not wanted any more. */
  signal: AbortSignal;
  onUpdate?: ToolUpdate | undefined;
  /** Hears what is to be said of the call beside its result. */
  onWarning?: ((warning: { code: string; message: string }) => void) | undefined;
}

/** What became of a call, or what is to be decided about it. */
export type Answered = { result: CallToolResult } | { waiting: Waiting };

/** One Haft session as clients see it: opened by the first call, whichever connections its requests come by. */
export class Conversation {
  readonly #source: SessionSource;
  readonly options: ServeOptions;
  readonly #waiting = new WaitingCalls();
  readonly #prefix = randomBytes(3).toString("hex");
  readonly #listeners = new Set<() => void>();
  #opening: Promise<Session> | undefined;
  #calls = 0;
  #running = 0;
  #isClosed = false;
  #listed: string | undefined;

  constructor(source: SessionSource, options: ServeOptions = {}) {
    this.#source = source;
    this.options = options;
  }

  /** How many calls run. */
  get running(): number {
    return this.#running;
  }

  /** Whether a session was opened for it. */
  get isOpened(): boolean {
    return this.#opening !== undefined;
  }

  /** What is advertised now. */
  async tools(): Promise<Tool[]> {
    const seen = await this.#seen();
    const facts = new Map(this.#source.catalogue().map((one) => [one.name, one]));
    const listed = seen
      .tools()
      .map((one) => describeTool(one, facts.get(one.name), { isStructured: this.#isStructured(one.name) }));
    this.#listed = JSON.stringify(listed);
    return listed;
  }

  /** What clients give their models to read. */
  async instructions(): Promise<string | undefined> {
    const { instructions } = this.options;
    if (instructions !== undefined) return instructions === false ? undefined : instructions;
    const seen = await this.#seen();
    return instructionsFor(seen.tools(), seen.facts);
  }

  /** Whether whoever sits at the client may decide about calls. */
  async clientDecides(): Promise<boolean> {
    const { approvals } = this.options;
    if (approvals !== undefined) return approvals === "client";
    return (await this.#seen()).facts.kind === "main";
  }

  /** Makes a call, or fetches what became of it while it waited. */
  async call(wanted: WantedCall, caller: Caller): Promise<Answered> {
    const kept = this.#waiting.take(wanted);
    if (kept !== undefined) return { result: resultOfOutcome(kept, { more: [DECIDED_MEANWHILE] }) };
    if (this.#running >= MOST_CALLS)
      return {
        result: resultOfError(mcpError("MCP_BUSY", `${MOST_CALLS} calls of this session run already.`)),
      };
    this.#running++;
    try {
      return await this.#call(wanted, caller);
    } catch (thrown) {
      return { result: resultOfError(thrown) };
    } finally {
      this.#running--;
    }
  }

  async #call(wanted: WantedCall, { signal, onUpdate, onWarning }: Caller): Promise<Answered> {
    const session = await this.#session();
    const id = `${this.#prefix}_${++this.#calls}`;
    // The request that brings a call may be over, and with it its signal, while the call waits to be decided.
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const { promise: ended, resolve } = Promise.withResolvers<ToolOutcome>();
    let isPending = false;
    const unsubscribe = session.subscribe((event) => {
      if (!("toolCallId" in event) || event.toolCallId !== id) return;
      if (event.type === "tool-warning") onWarning?.(event);
      if (event.type !== "tool-end") return;
      if (!isPending && event.outcome.kind === "pending") return;
      unsubscribe();
      resolve(event.outcome);
    });
    const outcome = await session.call(
      { id, name: wanted.name, arguments: wanted.arguments ?? {} },
      { signal: controller.signal, ...(onUpdate && { onUpdate }) },
    );
    signal.removeEventListener("abort", abort);
    if (outcome.kind !== "pending") {
      unsubscribe();
      return { result: this.#resultOf(outcome) };
    }
    isPending = true;
    const request = session.pendingApprovals().find(({ approvalId }) => approvalId === outcome.approvalId);
    const waiting: Waiting = {
      id,
      wanted,
      pending: outcome,
      request,
      ended,
      abort: () => controller.abort(),
    };
    this.#waiting.add(waiting);
    return { waiting };
  }

  /** A call that waits, by its id; `undefined` when nothing is known of it any more. */
  waiting(id: string): Waiting | undefined {
    return this.#waiting.get(id);
  }

  /** Decides about a call that waits, and answers what became of it. Decided elsewhere meanwhile, that counts. */
  async decide(waiting: Waiting, answer: ApprovalAnswer): Promise<CallToolResult> {
    const session = await this.#session();
    try {
      await session.resolveApproval(waiting.pending.approvalId, answer);
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "APPROVAL_NOT_FOUND") return resultOfError(thrown);
    }
    return this.outcomeOf(waiting);
  }

  /** What became of a call that waited, once it has ended. */
  async outcomeOf(waiting: Waiting): Promise<CallToolResult> {
    const outcome = await waiting.ended;
    this.#waiting.delivered(waiting);
    return this.#resultOf(outcome);
  }

  /** The answer while it waits on; of one that was decided meanwhile, what became of it. */
  async stillWaiting(waiting: Waiting): Promise<CallToolResult> {
    if (this.#waiting.hasEnded(waiting)) return this.outcomeOf(waiting);
    return resultOfOutcome(waiting.pending, { more: [howToGoOn(waiting)] });
  }

  /** Hears when the tools that are advertised are others. Answers what ends that. */
  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Rules or plugins may be others now: clients that were shown tools are told when those are others. */
  async lookAgain(): Promise<void> {
    const before = this.#listed;
    if (before === undefined || this.#isClosed) return;
    await this.tools();
    if (this.#listed !== before) for (const listener of this.#listeners) listener();
  }

  /** Aborts what runs, and ends the session. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#opening?.catch(() => undefined);
    await session?.close();
  }

  #resultOf(outcome: ToolOutcome): CallToolResult {
    return resultOfOutcome(outcome, { isStructured: this.#isStructured(outcome.toolName) });
  }

  #isStructured(tool: string): boolean {
    return this.options.structured?.includes(tool) === true;
  }

  async #seen(): Promise<Pick<Session, "tools" | "facts">> {
    return (await this.#opening?.catch(() => undefined)) ?? (await this.#source.preview());
  }

  #session(): Promise<Session> {
    if (this.#isClosed) throw mcpError("MCP_NOT_OPENED", "This server is about to end, and begins nothing.");
    if (this.#opening !== undefined) return this.#opening;
    const opening = (this.#opening = this.#source.open());
    // What kept it from opening may be gone at the next call.
    opening.catch(() => this.#opening === opening && (this.#opening = undefined));
    return opening;
  }
}

const DECIDED_MEANWHILE =
  "[This is what became of the call that waited for approval: it was decided meanwhile, and did not run again now.]";

function howToGoOn({ pending: { toolName, approvalId } }: Waiting): string {
  return [
    `The user decides with: haft approvals answer ${approvalId} allow-once (or deny).`,
    `Its result does not come by itself. Once you are told that it was decided, call ${toolName} again with the same arguments: you get the result, and it does not run twice.`,
  ].join("\n");
}

/** What went wrong before there was an outcome. Models read it as the result of their call. */
export function resultOfError(thrown: unknown): CallToolResult {
  const known = HaftError.is(thrown) ? thrown : undefined;
  const words = [`Error: ${messageOf(thrown)}`, ...(known?.fix === undefined ? [] : [known.fix])].join("\n");
  const code = known?.code ?? "INTERNAL";
  return {
    content: [{ type: "text", text: words }],
    isError: true,
    _meta: { "haft/outcome": { kind: "error", code, receipt: known?.receipt ?? "none" } },
  };
}
