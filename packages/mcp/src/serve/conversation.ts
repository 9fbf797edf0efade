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

/** Parallel calls per conversation; further calls get errors. */
const MAX_CALLS = 256;

/** Serves one Haft session over any number of connections, from the first call. */
export class McpConversation {
  readonly #source: SessionSource;
  readonly options: ServeOptions;
  readonly #waiting = new WaitingCalls();
  /** Several indistinguishable conversations share it, so their equal calls are not repetitions. */
  readonly #isShared: boolean;
  #prefix: string | undefined;
  readonly #listeners = new Set<() => void>();
  #opening: Promise<Session> | undefined;
  #calls = 0;
  #running = 0;
  #isClosed = false;
  #listed: string | undefined;
  /** Cached until the tools may have changed. */
  #preview: ReturnType<SessionSource["preview"]> | undefined;

  constructor(source: SessionSource, options: ServeOptions = {}, { isShared = false } = {}) {
    this.#source = source;
    this.#isShared = isShared;
    this.options = { ...options, ...source.options };
  }

  get running(): number {
    return this.#running;
  }

  /** True if closing would lose a call, an unfetched result or a background command. */
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

  folders(): readonly Mount[] {
    return this.#source.folders?.() ?? [];
  }

  async canClientDecide(): Promise<boolean> {
    const { approvals } = this.options;
    if (approvals !== undefined) return approvals === "client";
    return (await this.#seen()).facts.kind === "main";
  }

  fetchOutcome(wanted: RequestedCall): CallToolResult | undefined {
    const outcome = this.#waiting.take(wanted);
    return outcome && toCallToolResult(outcome, { more: [DECIDED_LATER] });
  }

  /** Returns the progress of an equal waiting call instead of making another. */
  async joinWaiting(
    wanted: RequestedCall,
  ): Promise<{ call: McpLiveCall; progress: CallProgress } | undefined> {
    const call = this.#waiting.find(wanted);
    return call && { call, progress: await call.rejoin(await this.#session()) };
  }

  /** @throws HaftError `MCP_BUSY`, `MCP_NOT_OPENED`, and errors of opening the session */
  async begin(wanted: RequestedCall, caller: McpCaller): Promise<McpLiveCall> {
    if (this.#running >= MAX_CALLS)
      throw mcpError("MCP_BUSY", `${MAX_CALLS} calls of this session are already running.`);
    this.#running++;
    try {
      const session = await this.#session();
      if (this.#isShared) session.resetLoopGuard();
      const prefix = (this.#prefix ??= randomBytes(3).toString("hex"));
      const call = new McpLiveCall(session, { id: `${prefix}_${++this.#calls}`, wanted, caller });
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

  findRemembered(id: string): McpLiveCall | undefined {
    return this.#waiting.get(id);
  }

  /**
   * Decides about a waiting call and returns its progress.
   *
   * @throws HaftError `INVALID_DECISION`: the call then still waits
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
    preview.catch(() => this.#preview === preview && (this.#preview = undefined));
    return preview;
  }

  #session(): Promise<Session> {
    if (this.#isClosed) throw mcpError("MCP_NOT_OPENED", "This server is closing and starts no new calls.");
    if (this.#opening !== undefined) return this.#opening;
    const opening = (this.#opening = this.#source.open());
    opening.catch(() => this.#opening === opening && (this.#opening = undefined));
    return opening;
  }
}

const DECIDED_LATER =
  "[This is the result of the call that waited for approval. It ran once and was not repeated.]";

function howToGoOn({ toolName, approvalId }: Extract<ToolOutcome, { kind: "pending" }>): string {
  return [
    `The user decides with: haft approvals answer ${approvalId} allow-once (or deny).`,
    `The result is not delivered automatically. After you learn that the call was decided, call ${toolName} again with the same arguments: you get the result, and the call does not run twice.`,
  ].join("\n");
}

/** A coding agent needs these at once, without loading on demand. */
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
 * Returns hints for clients that gate and schedule calls. They describe the maximum of any call, everything
 * for unknown effects. All are set to override the protocol's defaults.
 */
function annotationsOf(effects: readonly ToolEffect[] | undefined): Required<Omit<ToolAnnotations, "title">> {
  const may = (effect: ToolEffect) => effects === undefined || effects.includes(effect);
  const readOnlyHint = effects !== undefined && effects.every((effect) => effect === "read");
  return {
    readOnlyHint,
    // Sending a message adds and destroys nothing.
    destructiveHint: may("write") || may("execute") || may("network"),
    idempotentHint: readOnlyHint,
    openWorldHint: may("execute") || may("network") || may("message"),
  };
}

/** Several clients cut longer texts. */
const MAX_INSTRUCTIONS_LENGTH = 2_000;

function instructionsFor(tools: readonly ToolDefinition[], facts: SessionFacts): string {
  const names = new Set(tools.map(({ name }) => name));
  const has = (...wanted: string[]) => wanted.filter((name) => names.has(name));
  const reading = has("read", "ls", "find", "grep");
  const changing = has("edit", "apply_patch", "write");
  const lines = [
    "Haft's tools work in one folder, the workspace. Paths are relative to it.",
    reading.length > 0 &&
      `Look with ${list(reading)}. Long content comes in pages; the end of a result describes how to read on.`,
    changing.length > 0 &&
      `Change files with ${list(changing)}. A change is applied completely or not at all, and preserves line endings.`,
    names.has("exec") &&
      `Run commands with exec.${names.has("process") ? " A long command continues in the background: follow it with process." : ""} If commands are contained, a denied access names its reason and how to request more.`,
    facts.sandbox !== undefined && "The tools run in a sandbox without access to the machine around it.",
    "A person may have to approve a call. Its result then contains the id of the approval: tell the user, try no other way, and repeat the same call when you learn that it was decided.",
    "A refused call names the rule and how to change the decision; only the user may change it.",
  ];
  return lines
    .filter((line) => line !== false)
    .join("\n")
    .slice(0, MAX_INSTRUCTIONS_LENGTH);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
