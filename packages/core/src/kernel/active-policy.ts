import type { ToolSet } from "../compose/registry.ts";
import type { Policy, SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import { type SessionView, getSessionView } from "./session-view.ts";

export interface PolicyListener {
  reevaluate(): void;
}

export class ActivePolicy {
  #current: Policy;
  readonly #waiting = new Set<PolicyListener>();

  constructor(policy: Policy) {
    this.#current = policy;
  }

  get current(): Policy {
    return this.#current;
  }

  watch(call: PolicyListener, until: AbortSignal): void {
    if (until.aborted) return;
    this.#waiting.add(call);
    until.addEventListener("abort", () => this.#waiting.delete(call), { once: true });
  }

  replace(policy: Policy): void {
    this.#current = policy;
    for (const call of this.#waiting) call.reevaluate();
  }
}

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
  // Two policies can return the same session policy, but differ for other senders.
  if (rules?.basePolicy !== of) known.set(view, (rules = { basePolicy: of, tools, policy, view }));
  return rules;
}
