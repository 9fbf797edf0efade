import type { EffectReceipt, ErrorCategory, HaftError, ToolResult } from "@haft/core";

/** One call of a command of a node. */
export interface Invocation {
  /** Made up by the host, for this call alone: whoever delivers it twice gets one answer. */
  readonly id: string;
  /** The id of the host. */
  readonly host: string;
  /** The command. */
  readonly command: string;
  /** The digest of the command as it was approved; a node with another one refuses. */
  readonly declared: string;
  /** Canonical, as far as the host can tell. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds that are left of its time as it is sent. */
  readonly timeLeftMs: number;
}

/** What became of it. JSON throughout. */
export type Answer =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly error: AnswerError };

/** An error as it travels. */
export interface AnswerError {
  /** What happened, stable. */
  readonly code: string;
  /** What happened and why. */
  readonly message: string;
  /** Whose turn it is. */
  readonly category: ErrorCategory;
  /** What the call left behind; `unknown` where it does not say. */
  readonly receipt?: EffectReceipt;
  /** What to do next. */
  readonly fix?: string;
  /** Facts for programs; `code` is what the command itself failed with. */
  readonly details?: Record<string, unknown>;
}

export function nodeFailure({ code, message, category, receipt, fix, details }: HaftError): Answer {
  return {
    ok: false,
    error: {
      code,
      message,
      category,
      ...(receipt !== undefined && { receipt }),
      ...(fix !== undefined && { fix }),
      ...(details !== undefined && { details }),
    },
  };
}
