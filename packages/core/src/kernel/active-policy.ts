import type { ToolSet } from "../compose/registry.ts";
import type { Policy, SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import { type SessionView, getSessionView } from "./session-view.ts";

export interface PolicyListener {
  reevaluate(): void;
}

/** The policy of all sessions of a factory. They look here, so that all have another one at once, and none is kept for it. */
export class ActivePolicy {
  #current: Policy;
  readonly #waiting = new Set<PolicyListener>();

  constructor(policy: Policy) {
    this.#current = policy;
  }

  get current(): Policy {
    return this.#current;
  }

  /** Tells a call when the policy is replaced, until the signal aborts. */
  watch(call: PolicyListener, until: AbortSignal): void {
    if (until.aborted) return;
    this.#waiting.add(call);
    until.addEventListener("abort", () => this.#waiting.delete(call), { once: true });
  }

  replace(policy: Policy): void {
    this.#current = policy;
    // What becomes of one may settle another, which is then in the set no more.
    for (const call of this.#waiting) call.reevaluate();
  }
}

/** What a policy says of a session, and what it lets that session see. Immutable, and shared by sessions that are alike. */
export interface SessionRules {
  readonly basePolicy: Policy;
  readonly tools: ToolSet;
  readonly policy: SessionPolicy;
  readonly view: SessionView;
}

const known = new WeakMap<SessionView, SessionRules>();

export function getSessionRules(of: Policy, facts: SessionFacts, tools: ToolSet): SessionRules {
  const policy = of.forSession(facts);
  const view = getSessionView(tools, policy);
  let rules = known.get(view);
  // Two policies may answer with one and the same for a session, and with others for whom it answers.
  if (rules?.basePolicy !== of) known.set(view, (rules = { basePolicy: of, tools, policy, view }));
  return rules;
}
