import type { GuardPayload } from "./payload.ts";

/** A call that somebody has to decide about, and whose agent cannot ask. */
export interface GuardQuestion {
  /** What the agent said of its call. */
  payload: GuardPayload;
  /** The tool it is judged as, for whoever decides. */
  tool: {
    id: string;
    name: string;
    effects: readonly ("read" | "write" | "execute" | "network" | "message")[];
  };
  /** Why it is asked. */
  reason: string;
  /** All that a person needs to see. */
  preview: string;
  /** What makes this very call what it is, by name, as plain texts: an answer is for this and no other. */
  parts: Readonly<Record<string, string>>;
}

/** Where questions are kept and answered. */
export interface GuardApprovals {
  /**
   * Uses up the answer that was given to this very call, once; where there is none, keeps the question.
   *
   * @returns what was decided, or the id by which a person answers; or that nothing was kept, since so many of this conversation wait
   */
  ask(
    question: GuardQuestion,
  ): Promise<{ decided: "allow" | "deny" } | { approvalId: string } | { waiting: number }>;
}
