import type { GuardPayload } from "./payload.ts";

/**
 * Describes a call for a person to decide.
 *
 * @example
 * ```ts
 * import type { GuardQuestion } from "@haft/guard";
 * const format = ({ payload, reason, preview }: GuardQuestion) => `${payload.agent} asks: ${preview} (${reason})`;
 * ```
 */
export interface GuardQuestion {
  payload: GuardPayload;
  tool: {
    id: string;
    name: string;
    effects: readonly ("read" | "write" | "execute" | "network" | "message")[];
  };
  reason: string;
  /** The person sees it. */
  preview: string;
  /** Identifies the call. An answer applies only to a call with equal parts. */
  parts: Readonly<Record<string, string>>;
}

/**
 * Stores questions and answers.
 *
 * @example
 * ```ts
 * import type { GuardApprovals } from "@haft/guard";
 * const denyAll: GuardApprovals = { ask: async () => ({ decided: "deny" }) };
 * ```
 */
export interface GuardApprovals {
  /**
   * Consumes the answer to this exact call, or stores the question.
   *
   * @returns the answer, the id of the question, or the number of waiting questions if there are too many
   */
  ask(
    question: GuardQuestion,
  ): Promise<{ decided: "allow" | "deny" } | { approvalId: string } | { waiting: number }>;
}
