import type { HaftError, ToolResult } from "@haft/core";
import type { EffectReceipt, ErrorCategory } from "@haft/core/internal";

/** Describes a call of a node's command. */
export interface Invocation {
  /** Identifies this call by the host's id; repeated deliveries get the same answer. */
  readonly id: string;
  /** Identifies the host. */
  readonly host: string;
  /** Names the command. */
  readonly command: string;
  /** Contains the approved command's digest; the node refuses another. */
  readonly declared: string;
  /** Contains the parameters in canonical form, as far as possible. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Contains the remaining milliseconds at sending. */
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
  /** States whether the call changed anything, if the node reports it. */
  readonly receipt?: EffectReceipt;
  /** Explains the solution. */
  readonly fix?: string;
  /** Contains details for programs; `code` is the command's own code. */
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
