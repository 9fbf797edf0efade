import type { Policy } from "../contract/policy-port.ts";

/** A call that waits for somebody's decision, and what another policy means to it. */
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
