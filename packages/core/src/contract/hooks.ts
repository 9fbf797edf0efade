import type { Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** A call as a hook receives it: a copy, so changes to it have no effect. */
export interface HookCall {
  /** The id of the call in its session. */
  readonly toolCallId: string;
  /** Identity of the conversation. */
  readonly sessionKey: string;
  /** What policy knows of the session. */
  readonly session: SessionFacts;
  /** The tool that is called. */
  readonly tool: ToolFacts;
  /** The arguments: before the call as received; after it canonical, or as received if they were refused. */
  readonly arguments: unknown;
  /** The sender of the message that the call answers, if known. */
  readonly sender?: Sender | "system";
  /** The id of the call whose tool made this call. */
  readonly parentCallId?: string;
  /** Aborts with the call, and when the time of the hook is over. */
  readonly signal: AbortSignal;
}

/** What a hook returns before a call. It can only make things stricter. Anything else is a failure of the hook. */
export interface BeforeToolCall {
  /** Replacements for the arguments. They are validated and decided about like any others. */
  arguments?: unknown;
  /** Why a person has to decide about this call, as a sentence, even if policy allows it. Earlier grants count. */
  ask?: string;
  /** Why the call must not run, as a sentence that the model reads. */
  block?: string;
  /** With `block`, what to do instead. */
  fix?: string;
}

/**
 * Functions of a host around calls. Each runs once per call, in order, within {@link ToolHook.deadlineMs}.
 *
 * @example
 * ```ts
 * import type { ToolHook } from "@haft/core/kernel";
 *
 * const freeze: ToolHook = {
 *   name: "weekend-freeze",
 *   beforeToolCall({ tool }) {
 *     const isWeekend = [0, 6].includes(new Date().getDay());
 *     if (isWeekend && tool.effects.includes("message")) return { ask: "Nobody sends messages at the weekend." };
 *     return undefined;
 *   },
 * };
 * ```
 */
export interface ToolHook {
  /** The name, for messages and diagnostics. */
  name: string;
  /** Milliseconds each of its functions may take. Default 15,000. */
  deadlineMs?: number;
  /**
   * Runs before the arguments are validated. If it throws or is late, the call is blocked (`HOOK_FAILED`). The first block
   * ends the call.
   */
  beforeToolCall?(
    call: HookCall,
  ): BeforeToolCall | undefined | void | Promise<BeforeToolCall | undefined | void>;
  /** Returns what the model and the ledger get instead of the result. If it throws or is late, the result stays as it was. */
  transformResult?(
    call: HookCall,
    result: { readonly content: readonly ContentBlock[]; readonly details: unknown },
  ): ToolResult | undefined | void | Promise<ToolResult | undefined | void>;
  /**
   * Receives the outcome of every call for which a tool was found. Nobody waits for it; if it throws or is late, that is a
   * diagnostic.
   */
  afterToolCall?(call: HookCall, outcome: Readonly<ToolOutcome>): void | Promise<void>;
}
