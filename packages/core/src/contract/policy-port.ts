import type { CallSubjects, ToolEffect } from "./plan.ts";

/** The sender of the message that a call answers. Hosts set only what they have verified. */
export interface Sender {
  /** The id of the account in its channel. */
  id?: string;
  /** The phone number in any spelling; only digits and `+` count. */
  phone?: string;
  /** The user name; case and a leading `@` do not count. */
  username?: string;
  /** The display name. Anybody can choose one, so rules for it protect nothing. */
  name?: string;
}

/** The limits of a sandbox. */
export interface SandboxFacts {
  /** How the files of the workspace are mounted in it. */
  mount: "none" | "ro" | "rw";
  /** What commands in it can reach. */
  network: "none" | "limited" | "full";
}

/** The contained view of the host in which commands of a session run. */
export interface ContainmentFacts {
  /** Where commands write. `workspace`: in the roots of the session. `read-only`: only in a private temporary folder. */
  mode: "workspace" | "read-only";
  /** What commands can reach: nothing, everything, or these hosts (as in `host:` conditions). */
  network: "none" | "full" | readonly string[];
}

/**
 * What policy knows of the session that makes calls.
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
  /** The kind of the session. `sandboxed` is a group session in a sandbox. */
  kind: SessionKind;
  /** The id of the agent that holds the conversation. */
  agentId: string;
  /** The model as `provider/model` or a bare name; empty if unknown. */
  model: string;
  /** The channel of the conversation, such as `telegram`; empty if there is none. */
  messageChannel: string;
  /** The group or room of the conversation, as the host derived it; never the claim of a caller. */
  groupId?: string;
  /** The sender of the message. `system`: the host started the turn (a timer, a notice). Absent: unknown, which is neither. */
  sender?: Sender | "system";
  /** The session that opened this one for a part of its work. The rules for it apply here as well. */
  parent?: SessionFacts;
  /** The limits of the sandbox, for a session in one. */
  sandbox?: SandboxFacts;
  /** The contained view in which commands run, if they do. */
  containment?: ContainmentFacts;
  /**
   * Set if another program runs the calls and only asks for decisions. The session table and missing containment do not
   * apply.
   */
  guarded?: true;
}

/**
 * What a session may do by default: `main` is the operator's session, `group` has other people, `sandboxed` is in a
 * sandbox.
 */
export type SessionKind = "main" | "group" | "sandboxed";

/**
 * What policy knows of a tool, derived from its definition.
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
  /** The id `plugin/name`, unique in a host. */
  id: string;
  /** The name that models call. */
  name: string;
  /** The plugin of the tool. */
  pluginId: string;
  /** Whether it is off until something names it. */
  optional: boolean;
  /** The effects that the tool declares. */
  effects: readonly ToolEffect[];
  /** The policy groups that the tool itself names. */
  groups: readonly string[];
  /** Whether it came with Haft, so that the session table has a row for it. */
  builtIn: boolean;
  /** The values of its parameter `action`, if it has one. */
  actions?: readonly string[];
  /** Its arguments, inner ones included. Absent if they are unknown. */
  parameters?: readonly ParameterFacts[];
  /** The MCP server of the tool and its name there, for rules such as `mcp(server/tool)`. */
  mcp?: { server: string; tool: string };
  /** Set if nobody declared its effects. Any rule for effects may then apply. */
  effectsUnknown?: true;
}

/** What policy knows of an argument. */
export interface ParameterFacts {
  /** The canonical name; an inner one is `to.address`. `env.*`, or `*`, allows any name. */
  name: string;
  /** Other spellings of the last part. Calls never have them when policy decides. */
  aliases?: readonly string[];
  /** Set for an object or a list of objects: only its parts can be compared. */
  compound?: true;
  /** All values it can have, as text, if the schema lists them. */
  values?: readonly string[];
}

/** One rule that was checked for a decision. */
export interface TraceStep {
  /** The layer of the rule: `sessions`, `profile`, `deny`, `allow`, `exec`, `approval`, `loop` … */
  layer: string;
  /** The rule in words. */
  rule: string;
  /** The file and key of the rule, or `built-in`. */
  source: string;
  /** The verdict of the rule. `pass`: the rule does not apply. */
  verdict: "allow" | "deny" | "ask" | "pass";
  /** The verdict for some calls, if the rule passes on the others. It was unknown which kind this call is, hence `verdict`. */
  toSome?: "deny" | "ask";
}

/** The decision of a policy about a tool or a call. */
export interface Decision {
  /** The effect. `ask`: the call runs if somebody agrees. */
  effect: "allow" | "deny" | "ask";
  /** The id, stable for the same question under the same policy. The ledger records it. */
  id: string;
  /** The rule that decided, as one sentence. */
  reason: string;
  /** The smallest change that would reverse the decision; absent for `allow`. */
  fix?: string;
  /** With `ask`, why every single call is asked about, so that earlier grants do not count. Absent if they do. */
  everyTime?: string;
  /** The decision that a policy in shadow mode would make. It has no effect. */
  shadow?: Decision;
  /** Every rule that was checked, in order. Computed on demand. */
  readonly trace: readonly TraceStep[];
}

/** The policy for one session. Its answers are pure and synchronous; it is cached for each set of facts. */
export interface SessionPolicy {
  /** Decides whether the model gets to see a tool. */
  visibility(tool: ToolFacts): Decision;
  /**
   * Decides whether a call may run. `args` are valid, or `undefined` if only the tool is known. For unknown facts the
   * answer is the stricter one.
   */
  call(tool: ToolFacts, args: unknown, subjects?: CallSubjects): Decision;
  /** Returns whether a rule for this tool depends on what a call would do. If not, the call is not planned. */
  needsSubjects?(tool: ToolFacts): boolean;
}

/**
 * Decides who may call which tool. `createPolicy` of `@haft/policy` makes one.
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
