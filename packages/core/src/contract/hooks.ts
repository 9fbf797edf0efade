import type { Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** Describes a call for a hook; changes have no effect. */
export interface HookCall {
  /** Identifies the call in its session. */
  readonly toolCallId: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** Describes the session. */
  readonly session: SessionFacts;
  /** Describes the tool. */
  readonly tool: ToolFacts;
  /** Contains the received arguments; after the call, they are canonical unless refused. */
  readonly arguments: unknown;
  /** Identifies the sender, if known. */
  readonly sender?: Sender | "system";
  /** Identifies the parent call. */
  readonly parentCallId?: string;
  /** Aborts with the call, and at the deadline of the hook. */
  readonly signal: AbortSignal;
}

/** Restricts a call. Any other return value is a failure of the hook. */
export interface BeforeToolCall {
  /** Replaces the arguments, which are then validated and evaluated. */
  arguments?: unknown;
  /** Requires approval for this reason, a sentence. Earlier grants count. */
  ask?: string;
  /** Blocks the call for this reason, a sentence for the model. */
  block?: string;
  /** Suggests an alternative to a blocked call. */
  fix?: string;
}

/**
 * Runs code of a host around calls. Each function runs once per call, in order, within {@link ToolHook.deadlineMs}.
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
  /** Names the hook in messages. */
  name: string;
  /** Milliseconds for each function. Default 15,000. */
  deadlineMs?: number;
  /** Runs before validation. An error or late answer (`HOOK_FAILED`), or a block, ends the call. */
  beforeToolCall?(
    call: HookCall,
  ): BeforeToolCall | undefined | void | Promise<BeforeToolCall | undefined | void>;
  /** Replaces the result, unless it fails or answers late. */
  transformResult?(
    call: HookCall,
    result: { readonly content: readonly ContentBlock[]; readonly details: unknown },
  ): ToolResult | undefined | void | Promise<ToolResult | undefined | void>;
  /** Receives the outcome of every call whose tool was found, without delaying it. An error or late end causes a diagnostic. */
  afterToolCall?(call: HookCall, outcome: Readonly<ToolOutcome>): void | Promise<void>;
}
