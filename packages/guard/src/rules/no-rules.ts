import type { Decision, Policy } from "@haft/core";

const LEFT: Decision = {
  effect: "allow",
  id: "no-rules",
  reason: "The agent decides, because there are no rules.",
  trace: [],
};

/** Avoids loading the evaluator. */
export const noRules: Policy = {
  forSession: () => ({ visibility: () => LEFT, call: () => LEFT, needsSubjects: () => false }),
};
