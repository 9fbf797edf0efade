import type { ToolSet } from "../compose/registry.ts";
import type { Policy, Sender, SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import { type SessionView, viewOf } from "./session-view.ts";

/** What a policy says of one session, and what it lets that session see. Immutable: another policy makes another one. */
export class SessionRules {
  /** The policy that says so. */
  readonly of: Policy;
  readonly tools: ToolSet;
  readonly policy: SessionPolicy;
  readonly view: SessionView;
  readonly #facts: SessionFacts;

  constructor(of: Policy, facts: SessionFacts, tools: ToolSet) {
    this.of = of;
    this.tools = tools;
    this.policy = of.forSession(facts);
    this.view = viewOf(tools, this.policy);
    this.#facts = facts;
  }

  /** The rules for whoever a call answers; without a sender of its own, those of the session. */
  policyFor(sender: Sender | "system" | undefined): SessionPolicy {
    return sender === undefined ? this.policy : this.of.forSession({ ...this.#facts, sender });
  }
}
