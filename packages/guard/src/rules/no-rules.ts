import type { Decision, Policy } from "@haft/core";

const LEFT: Decision = {
  effect: "allow",
  id: "no-rules",
  reason: "It is left to the program that runs it, since there are no rules.",
  trace: [],
};

/** What a policy without a document says of every call of an agent, without loading what evaluates documents. */
export const noRules: Policy = {
  forSession: () => ({ visibility: () => LEFT, call: () => LEFT, needsSubjects: () => false }),
};
