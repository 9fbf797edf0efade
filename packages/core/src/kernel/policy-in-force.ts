import type { ToolSet } from "../compose/registry.ts";
import type { Policy, SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import { type SessionView, viewOf } from "./session-view.ts";

export interface WaitsUnderRules {
  decideAgain(): void;
}

/** The policy of all sessions of a factory. They look here, so that all have another one at once, and none is kept for it. */
export class PolicyInForce {
  #current: Policy;
  readonly #waiting = new Set<WaitsUnderRules>();

  constructor(policy: Policy) {
    this.#current = policy;
  }

  get current(): Policy {
    return this.#current;
  }

  /** Tells a call when the policy is replaced, until the signal aborts. */
  watch(call: WaitsUnderRules, until: AbortSignal): void {
    if (until.aborted) return;
    this.#waiting.add(call);
    until.addEventListener("abort", () => this.#waiting.delete(call), { once: true });
  }

  replace(policy: Policy): void {
    this.#current = policy;
    // What becomes of one may settle another, which is then in the set no more.
    for (const call of this.#waiting) call.decideAgain();
  }
}

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
