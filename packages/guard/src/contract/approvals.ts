import type { GuardPayload } from "./payload.ts";

/**
 * A call about which a person must decide, of an agent that cannot ask the person itself.
 *
 * @example
 * ```ts
 * import type { GuardQuestion } from "@haft/guard";
 * const format = ({ payload, reason, preview }: GuardQuestion) => `${payload.agent} asks: ${preview} (${reason})`;
 * ```
 */
export interface GuardQuestion {
  /** The payload with the call. */
  payload: GuardPayload;
  /** The tool that the call counts as. */
  tool: {
    id: string;
    name: string;
    effects: readonly ("read" | "write" | "execute" | "network" | "message")[];
  };
  /** Why the policy asks. */
  reason: string;
  /** The text that the person sees. */
  preview: string;
  /** The parts that identify the call, by name. An answer counts for a call with the same parts only. */
  parts: Readonly<Record<string, string>>;
}

/**
 * Stores questions of agents, and the answers of people.
 *
 * @example
 * ```ts
 * import type { GuardApprovals } from "@haft/guard";
 * const denyAll: GuardApprovals = { ask: async () => ({ decided: "deny" }) };
 * ```
 */
export interface GuardApprovals {
  /**
   * Uses up the answer to this exact call. If there is none, stores the question.
   *
   * @returns the answer; or the id with which a person answers; or the number of waiting questions, if this conversation has too many for
   * another one
   */
  ask(
    question: GuardQuestion,
  ): Promise<{ decided: "allow" | "deny" } | { approvalId: string } | { waiting: number }>;
}
