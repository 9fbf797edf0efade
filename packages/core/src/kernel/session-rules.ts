import type { ToolSet } from "../compose/registry.ts";
import type { Policy, SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import { type SessionView, viewOf } from "./session-view.ts";

/** What a policy says of a session, and what it lets that session see. Immutable, and shared by sessions that are alike. */
export interface SessionRules {
  readonly of: Policy;
  readonly tools: ToolSet;
  readonly policy: SessionPolicy;
  readonly view: SessionView;
}

const known = new WeakMap<SessionView, SessionRules>();

export function rulesOf(of: Policy, facts: SessionFacts, tools: ToolSet): SessionRules {
  const policy = of.forSession(facts);
  const view = viewOf(tools, policy);
  let rules = known.get(view);
  // Two policies may answer with one and the same for a session, and with others for whom it answers.
  if (rules?.of !== of) known.set(view, (rules = { of, tools, policy, view }));
  return rules;
}
