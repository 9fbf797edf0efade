import type { HaftError, ToolResult } from "@haft/core";
import type { EffectReceipt, ErrorCategory } from "@haft/core/internal";

/** Describes a call of a node's command. */
export interface Invocation {
  /** Identifies this call; the host creates it. A repeated delivery gets the same answer. */
  readonly id: string;
  /** Identifies the host. */
  readonly host: string;
  /** Names the command. */
  readonly command: string;
  /** Contains the digest of the approved command. A node whose command has another digest refuses the call. */
  readonly declared: string;
  /** Contains the parameters in canonical form, as far as the host can produce it. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Contains the remaining milliseconds when the call is sent. */
  readonly timeLeftMs: number;
}

/** Contains the result or error of an invocation as JSON. */
export type Answer =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly error: AnswerError };

/** Describes an error as JSON. */
export interface AnswerError {
  /** Contains the stable error code. */
  readonly code: string;
  /** Explains the error in a sentence. */
  readonly message: string;
  /** Classifies the error. */
  readonly category: ErrorCategory;
  /** States whether the call changed anything; `unknown` if the node does not report it. */
  readonly receipt?: EffectReceipt;
  /** Explains how to solve the problem. */
  readonly fix?: string;
  /** Contains details for programs. `code` is the code of the command's own error. */
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
