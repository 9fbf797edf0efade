import {
  type ApprovalAnswer,
  HaftError,
  type Mount,
  type SessionFacts,
  type ToolEffect,
  type ToolFacts,
  type ToolOutcome,
} from "@haft/core";
import type { Session, ToolDefinition } from "@haft/core/kernel";
import type { CallToolResult, Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { randomBytes } from "node:crypto";
import { mcpError } from "../errors.ts";
import { type McpCaller, McpLiveCall, type CallProgress, type RequestedCall } from "./calls/live-call.ts";
import { WaitingCalls } from "./calls/waiting-calls.ts";
import type { ServeOptions, SessionSource } from "./session-source.ts";
import { toCallToolResult } from "./tools/to-call-tool-result.ts";

/** Calls of one conversation that may run at a time: a client that floods has the rest refused. */
const MAX_CALLS = 256;

/** One Haft session as clients see it: opened by the first call, whichever connections its requests come by. */
export class McpConversation {
  readonly #source: SessionSource;
  readonly options: ServeOptions;
  readonly #waiting = new WaitingCalls();
  /** Several conversations come by it, which cannot be told apart: no call of one counts as a repetition by another. */
  readonly #isShared: boolean;
  #prefix: string | undefined;
  readonly #listeners = new Set<() => void>();
  #opening: Promise<Session> | undefined;
  #calls = 0;
  #running = 0;
  #isClosed = false;
  #listed: string | undefined;
  /** What a session would see, as of the last time somebody said that it may be otherwise. */
  #preview: ReturnType<SessionSource["preview"]> | undefined;

  constructor(source: SessionSource, options: ServeOptions = {}, { isShared = false } = {}) {
    this.#source = source;
    this.#isShared = isShared;
    this.options = { ...options, ...source.options };
  }

  get running(): number {
    return this.#running;
  }

  /** Whether something would be lost with it: a call that runs or waits, a result that nobody fetched, a background command. */
  async isBusy(): Promise<boolean> {
    if (this.#running > 0 || this.#waiting.hasNews) return true;
    if (this.#opening === undefined) return false;
    const session = await this.#opening.catch(() => undefined);
    if (session === undefined) return false;
    return session.pendingApprovals().length > 0 || (await this.#source.isBusy?.(session)) === true;
  }

  async tools(): Promise<Tool[]> {
    const seen = await this.#seen();
    const facts = new Map(this.#source.catalogue().map((one) => [one.name, one]));
    const listed = seen
      .tools()
      .map((one) => describeTool(one, facts.get(one.name), { isStructured: this.#isStructured(one.name) }));
    this.#listed = JSON.stringify(listed);
    return listed;
  }

  async instructions(): Promise<string | undefined> {
    const { instructions } = this.options;
    if (instructions !== undefined) return instructions === false ? undefined : instructions;
    const seen = await this.#seen();
    return instructionsFor(seen.tools(), seen.facts);
  }

  /** What of this machine its session works in, the workspace first. */
  folders(): readonly Mount[] {
    return this.#source.folders?.() ?? [];
  }

  async canClientDecide(): Promise<boolean> {
    const { approvals } = this.options;
    if (approvals !== undefined) return approvals === "client";
    return (await this.#seen()).facts.kind === "main";
  }

  /** The outcome of the same call, where it waited, ended meanwhile, and nobody was told. Once. */
  fetchOutcome(wanted: RequestedCall): CallToolResult | undefined {
    const outcome = this.#waiting.take(wanted);
    return outcome && toCallToolResult(outcome, { more: [DECIDED_MEANWHILE] });
  }

  /** What the same call has come to, where that waits for a decision: it is that one, and no other. */
  async joinWaiting(
    wanted: RequestedCall,
  ): Promise<{ call: McpLiveCall; progress: CallProgress } | undefined> {
    const call = this.#waiting.find(wanted);
    return call && { call, progress: await call.rejoin(await this.#session()) };
  }

  /** @throws HaftError `MCP_BUSY`, `MCP_NOT_OPENED`, and what keeps the session from opening */
  async begin(wanted: RequestedCall, caller: McpCaller): Promise<McpLiveCall> {
    if (this.#running >= MAX_CALLS)
      throw mcpError("MCP_BUSY", `${MAX_CALLS} calls of this session run already.`);
    this.#running++;
    try {
      const session = await this.#session();
      if (this.#isShared) session.resetLoopGuard();
      const prefix = (this.#prefix ??= randomBytes(3).toString("hex"));
      const call = new McpLiveCall(session, { id: `${prefix}_${++this.#calls}`, wanted, caller });
      // One that waits for a decision takes no room.
      void call
        .first()
        .then(({ kind }) => (kind === "asks" ? call.ended : undefined))
        .then(() => this.#running--);
      return call;
    } catch (thrown) {
      this.#running--;
      throw thrown;
    }
  }

  remember(call: McpLiveCall): void {
    this.#waiting.add(call);
  }

  /** A call that goes on, by its id; `undefined` when nothing is known of it any more. */
  findRemembered(id: string): McpLiveCall | undefined {
    return this.#waiting.get(id);
  }

  /**
   * Decides about a call that waits, and answers what it comes to. Decided elsewhere meanwhile, that counts.
   *
   * @throws HaftError `INVALID_DECISION`: then it still waits
   */
  async decide(call: McpLiveCall, approvalId: string, answer: ApprovalAnswer): Promise<CallProgress> {
    const session = await this.#session();
    const refused = Promise.withResolvers<never>();
    session.resolveApproval(approvalId, answer).catch((thrown: unknown) => {
      if (!HaftError.is(thrown) || thrown.code !== "APPROVAL_NOT_FOUND") refused.reject(thrown);
    });
    return Promise.race([refused.promise, call.next()]);
  }

  deliverResult(call: McpLiveCall, outcome: ToolOutcome): CallToolResult {
    this.#waiting.delivered(call);
    return toCallToolResult(outcome, { isStructured: this.#isStructured(outcome.toolName) });
  }

  /** Of a call that waits on; or its result, where it was decided meanwhile. */
  async toWaitingResult(
    call: McpLiveCall,
    pending: Extract<ToolOutcome, { kind: "pending" }>,
  ): Promise<CallToolResult> {
    if (this.#waiting.hasEnded(call)) return this.deliverResult(call, await call.ended);
    return toCallToolResult(pending, { more: [howToGoOn(pending)] });
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Rules or plugins may be others now: clients that were shown tools are told when those are others. */
  async refreshTools(): Promise<void> {
    this.#preview = undefined;
    const before = this.#listed;
    if (before === undefined || this.#isClosed) return;
    await this.tools();
    if (this.#listed !== before) for (const listener of this.#listeners) listener();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#opening?.catch(() => undefined);
    await session?.close();
  }

  #isStructured(tool: string): boolean {
    return this.options.structured?.includes(tool) === true;
  }

  async #seen(): Promise<Pick<Session, "tools" | "facts">> {
    const session = await this.#opening?.catch(() => undefined);
    if (session !== undefined) return session;
    const preview = (this.#preview ??= this.#source.preview());
    // What was wrong may be right the next time.
    preview.catch(() => this.#preview === preview && (this.#preview = undefined));
    return preview;
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
  "[This is what became of the call that waited: it went on meanwhile, and did not run again now.]";

function howToGoOn({ toolName, approvalId }: Extract<ToolOutcome, { kind: "pending" }>): string {
  return [
    `The user decides with: haft approvals answer ${approvalId} allow-once (or deny).`,
    `Its result does not come by itself. Once you are told that it was decided, call ${toolName} again with the same arguments: you get the result, and it does not run twice.`,
  ].join("\n");
}

/** Clients that hold tools back until their model searches for them have these at once: a coding agent is lost without. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true } as const;

function describeTool(
  { name, description, parameters, outputSchema }: ToolDefinition,
  facts: ToolFacts | undefined,
  { isStructured }: { isStructured: boolean },
): Tool {
  return {
    name,
    description,
    inputSchema: parameters as Tool["inputSchema"],
    annotations: annotationsOf(facts?.effects),
    ...(isStructured && outputSchema !== undefined ? { outputSchema } : {}),
    ...(facts?.builtIn === true ? { _meta: ALWAYS_LOADED } : {}),
  };
}

/**
 * What calls may do, as clients gate and schedule them by. Of a tool that nothing is known of, all of it: the most that any call
 * may do counts, and what is left out would be read by the defaults of the protocol.
 */
function annotationsOf(effects: readonly ToolEffect[] | undefined): Required<Omit<ToolAnnotations, "title">> {
  const may = (effect: ToolEffect) => effects === undefined || effects.includes(effect);
  const readOnlyHint = effects !== undefined && effects.every((effect) => effect === "read");
  return {
    readOnlyHint,
    // A message adds something, and takes nothing away.
    destructiveHint: may("write") || may("execute") || may("network"),
    idempotentHint: readOnlyHint,
    openWorldHint: may("execute") || may("network") || may("message"),
  };
}

/** Several clients cut what is longer. */
const MAX_INSTRUCTIONS_LENGTH = 2_000;

/** What a model is to know of these tools beside their descriptions; made of the tools that the session has. */
function instructionsFor(tools: readonly ToolDefinition[], facts: SessionFacts): string {
  const names = new Set(tools.map(({ name }) => name));
  const has = (...wanted: string[]) => wanted.filter((name) => names.has(name));
  const reading = has("read", "ls", "find", "grep");
  const changing = has("edit", "apply_patch", "write");
  const lines = [
    "Haft's tools work in one folder, the workspace. Paths are relative to it.",
    reading.length > 0 &&
      `Look with ${list(reading)}. What is long comes in pages; the end of a result says how to read on.`,
    changing.length > 0 &&
      `Change files with ${list(changing)}. A change happens in full or not at all, and keeps line ends as they are.`,
    names.has("exec") &&
      `Run commands with exec.${names.has("process") ? " One that takes longer goes on in the background: follow it with process." : ""} Where commands are contained, what meets a wall says which one, and how to ask for more.`,
    facts.sandbox !== undefined &&
      "All of it happens in a sandbox; nothing of the machine around it is there.",
    "A call may have to be approved by a person. Its result then says that it waits, and under which id: say so, do not try it another way, and make the same call once more when you are told that it was decided.",
    "A refused call says which rule refused it and what would change that; that is for the user to decide.",
  ];
  return lines
    .filter((line) => line !== false)
    .join("\n")
    .slice(0, MAX_INSTRUCTIONS_LENGTH);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
