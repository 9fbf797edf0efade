import type { HaftError, ToolResult } from "@haft/core";
import type { EffectReceipt, ErrorCategory } from "@haft/core/internal";

/** One call of a command of a node. */
export interface Invocation {
  /** Id of this call, created by the host. A call that is delivered twice gets the same answer. */
  readonly id: string;
  /** Id of the host. */
  readonly host: string;
  /** Name of the command. */
  readonly command: string;
  /** Digest of the command as it was approved. A node whose command has another digest refuses the call. */
  readonly declared: string;
  /** Parameters in canonical form, as far as the host can produce it. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds that remain for the call when it is sent. */
  readonly timeLeftMs: number;
}

/** The result or error of an invocation, in JSON. */
export type Answer =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly error: AnswerError };

/** An error in an answer, in JSON. */
export interface AnswerError {
  /** Code of the error. It is stable. */
  readonly code: string;
  /** What happened and why, as a sentence. */
  readonly message: string;
  /** Category of the error. */
  readonly category: ErrorCategory;
  /** Whether the call changed anything; `unknown` if the node does not say. */
  readonly receipt?: EffectReceipt;
  /** How to solve the problem. */
  readonly fix?: string;
  /** Details for programs. `code` is the code of the command's own error. */
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
