import type { CallSubjects, ToolEffect } from "./plan.ts";

/** Identifies the sender of a message. Hosts set only verified fields. */
export interface Sender {
  /** Identifies the account in its channel. */
  id?: string;
  /** Contains the phone number; only digits and `+` count. */
  phone?: string;
  /** Contains the user name; case and a leading `@` do not count. */
  username?: string;
  /** Contains the display name. Anyone can choose it: rules for it protect nothing. */
  name?: string;
}

/** Describes the limits of a sandbox. */
export interface SandboxFacts {
  /** States how the files of the workspace are mounted. */
  mount: "none" | "ro" | "rw";
  /** States the network access of commands. */
  network: "none" | "limited" | "full";
}

/** Describes the view of a session's commands. */
export interface ContainmentFacts {
  /** Limits writes to the roots of the session (`workspace`) or a private temporary folder (`read-only`). */
  mode: "workspace" | "read-only";
  /** Limits the network: nothing, everything, or these hosts (as in `host:` conditions). */
  network: "none" | "full" | readonly string[];
}

/**
 * Describes a session for policy.
 *
 * @example
 * ```ts
 * import type { SessionFacts } from "@haft/core";
 *
 * const facts: SessionFacts = {
 *   kind: "group",
 *   agentId: "main",
 *   model: "openai/gpt-5",
 *   messageChannel: "telegram",
 *   groupId: "-100123",
 *   sender: { id: "4711", username: "alice" },
 * };
 * ```
 */
export interface SessionFacts {
  /** States the kind. `sandboxed` is a group session in a sandbox. */
  kind: SessionKind;
  /** Identifies the agent. */
  agentId: string;
  /** Names the model, perhaps as `provider/model`; empty if unknown. */
  model: string;
  /** Names the channel, such as `telegram`; empty without a channel. */
  messageChannel: string;
  /** Identifies the group or room, as derived by the host, never by a caller. */
  groupId?: string;
  /** Identifies the sender. `system`: the host started the turn. Absent: unknown. */
  sender?: Sender | "system";
  /** Describes the opening session, whose rules also apply here. */
  parent?: SessionFacts;
  /** Describes the sandbox of the session. */
  sandbox?: SandboxFacts;
  /** Describes the view of contained commands. */
  containment?: ContainmentFacts;
  /** Is set if another program runs the calls. Session table and missing containment then do not apply. */
  guarded?: true;
}

/** Selects the default rights. `main` is the operator's session; `group` has other people. */
export type SessionKind = "main" | "group" | "sandboxed";

/**
 * Describes a tool for policy.
 *
 * @example
 * ```ts
 * import type { ToolFacts } from "@haft/core";
 *
 * const facts: ToolFacts = {
 *   id: "mail/send",
 *   name: "send",
 *   pluginId: "mail",
 *   effects: ["message", "network"],
 *   groups: [],
 *   optional: true,
 *   builtIn: false,
 *   parameters: [{ name: "to" }, { name: "format", values: ["text", "html"] }],
 * };
 * ```
 */
export interface ToolFacts {
  /** Identifies the tool as `plugin/name`, unique in a host. */
  id: string;
  /** Contains the name for models. */
  name: string;
  /** Identifies the plugin. */
  pluginId: string;
  /** Tells whether the tool is off until a rule names it. */
  optional: boolean;
  /** Lists the declared effects. */
  effects: readonly ToolEffect[];
  /** Lists the policy groups of the tool itself. */
  groups: readonly string[];
  /** Tells whether the tool is part of Haft and has a row in the session table. */
  builtIn: boolean;
  /** Lists the values of its parameter `action`, if any. */
  actions?: readonly string[];
  /** Describes its arguments, also inner. Absent if unknown. */
  parameters?: readonly ParameterFacts[];
  /** Names the MCP server and tool, for `mcp(server/tool)`. */
  mcp?: { server: string; tool: string };
  /** Is set if its effects are undeclared. Any rule for effects may then apply. */
  effectsUnknown?: true;
}

/** Describes an argument for policy. */
export interface ParameterFacts {
  /** Contains the canonical name, such as `to.address`. `env.*`, or `*`, allows any name. */
  name: string;
  /** Lists other spellings of the last part, which policy never sees. */
  aliases?: readonly string[];
  /** Is set for objects and lists of objects, whose parts are compared. */
  compound?: true;
  /** Lists all possible values as text, if the schema does. */
  values?: readonly string[];
}

/** Describes a checked rule. */
export interface TraceStep {
  /** Names the layer: `sessions`, `profile`, `deny`, `allow`, `exec`, `approval`, `loop` … */
  layer: string;
  /** Describes the rule in words. */
  rule: string;
  /** Names file and key, or `built-in`. */
  source: string;
  /** States the verdict. `pass`: the rule does not apply. */
  verdict: "allow" | "deny" | "ask" | "pass";
  /** States the verdict for some calls, if this call's kind was unknown. */
  toSome?: "deny" | "ask";
}

/** Contains a policy decision about a tool or call. */
export interface Decision {
  /** States the effect. `ask`: the call runs after approval. */
  effect: "allow" | "deny" | "ask";
  /** Identifies the decision: equal for equal questions under a policy. */
  id: string;
  /** Describes the rule that decided, as one sentence. */
  reason: string;
  /** Suggests the smallest change of the decision; absent for `allow`. */
  fix?: string;
  /** Explains why `ask` applies to every call, despite grants. */
  everyTime?: string;
  /** Contains the decision of a shadow policy, which has no effect. */
  shadow?: Decision;
  /** Lists checked rules, in order, on demand. */
  readonly trace: readonly TraceStep[];
}

/** Decides synchronously and without effects, for sessions with equal facts. */
export interface SessionPolicy {
  /** Decides whether the model sees a tool. */
  visibility(tool: ToolFacts): Decision;
  /** Decides about a call, or without `args` about the tool. Unknown facts lead to the stricter decision. */
  call(tool: ToolFacts, args: unknown, subjects?: CallSubjects): Decision;
  /** Returns whether a rule for this tool needs a plan. */
  needsSubjects?(tool: ToolFacts): boolean;
}

/**
 * Decides about tools and calls. `createPolicy` of `@haft/policy` creates a policy.
 *
 * @example
 * ```ts
 * import type { Decision, Policy, ToolFacts } from "@haft/core";
 *
 * // Allows every tool that only reads.
 * const decide = ({ effects }: ToolFacts): Decision =>
 *   effects.every((effect) => effect === "read")
 *     ? { effect: "allow", id: "read-only-1", reason: "It only reads.", trace: [] }
 *     : { effect: "deny", id: "read-only-2", reason: "It does more than read.", trace: [] };
 * const readOnly: Policy = { forSession: () => ({ visibility: decide, call: decide }) };
 * ```
 */
export interface Policy {
  /** Returns the policy for a session with these facts. */
  forSession(facts: SessionFacts): SessionPolicy;
}
