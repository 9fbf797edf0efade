import type { Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** A call as a hook sees it: a copy, so nothing is changed by changing it. */
export interface HookCall {
  /** The id of the call in its session. */
  readonly toolCallId: string;
  /** Identity of the conversation. */
  readonly sessionKey: string;
  /** Who is calling. */
  readonly session: SessionFacts;
  /** What is called. */
  readonly tool: ToolFacts;
  /** Before: as received. After: canonical, or as received when they were refused. */
  readonly arguments: unknown;
  /** Whose message it answers, where that is known. */
  readonly sender?: Sender | "system";
  /** The call of another tool that made this one. */
  readonly parentCallId?: string;
  /** Aborts with the call, and when the hook's time is over. */
  readonly signal: AbortSignal;
}

/** What a hook says before a call. It can only make things stricter. Anything else is a failure of the hook. */
export interface BeforeToolCall {
  /** Replace the arguments. They are validated, and decided about, like any others. */
  arguments?: unknown;
  /** Have a person decide about this call, also if policy allows it; what they allowed for good counts. A reason, as a sentence. */
  ask?: string;
  /** Do not run it. A reason, as a sentence; the model reads it. */
  block?: string;
  /** With `block`: what to do instead. */
  fix?: string;
}

/** What a host does around calls. Each function runs once per call, in order, within {@link ToolHook.deadlineMs}. */
export interface ToolHook {
  /** For messages and diagnostics. */
  name: string;
  /** Milliseconds each of its functions may take. Default 15,000. */
  deadlineMs?: number;
  /** Before the arguments are validated. One that throws or is late blocks the call (`HOOK_FAILED`). The first block ends it. */
  beforeToolCall?(
    call: HookCall,
  ): BeforeToolCall | undefined | void | Promise<BeforeToolCall | undefined | void>;
  /** What the model and the ledger get instead of the result. One that throws or is late leaves the result as it was. */
  transformResult?(
    call: HookCall,
    result: { readonly content: readonly ContentBlock[]; readonly details: unknown },
  ): ToolResult | undefined | void | Promise<ToolResult | undefined | void>;
  /** Told how every call that a tool was found for ended. One that throws or is late is a diagnostic; nobody waits for it. */
  afterToolCall?(call: HookCall, outcome: Readonly<ToolOutcome>): void | Promise<void>;
}
