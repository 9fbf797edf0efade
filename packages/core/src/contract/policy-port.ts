import type { CallSubjects, ToolEffect } from "./plan.ts";

/** Somebody whose message a call answers. A host fills in what it has verified, and nothing else. */
export interface Sender {
  /** The channel's own id of the account. */
  id?: string;
  /** As the channel knows it; all but digits and `+` does not count. */
  phone?: string;
  /** Case and a leading `@` do not count. */
  username?: string;
  /** Display name: anybody can choose one, so rules on it are no protection. */
  name?: string;
}

/** What a sandbox keeps from its commands. */
export interface SandboxFacts {
  /** How the workspace's files are mounted inside. */
  mount: "none" | "ro" | "rw";
  /** What commands reach. */
  network: "none" | "limited" | "full";
}

/** The view of the host that commands of a session are contained in. */
export interface ContainmentFacts {
  /** `workspace`: they write in the roots of the session. `read-only`: nowhere but in a temporary folder of their own. */
  mode: "workspace" | "read-only";
  /** What they reach beyond the view: nothing, everything, or these hosts (as `host:` conditions have them). */
  network: "none" | "full" | readonly string[];
}

/** Who is calling, as far as policy is concerned. */
export interface SessionFacts {
  /** `sandboxed` is a group session in a sandbox. */
  kind: SessionKind;
  /** The agent that has the conversation. */
  agentId: string;
  /** Model as `provider/model` or a bare name; empty when unknown. */
  model: string;
  /** The channel of the conversation, such as `telegram`; empty when there is none. */
  messageChannel: string;
  /** The group or room of the conversation, as the host derived it; never what a caller says. */
  groupId?: string;
  /** `system`: the host itself started the turn (a timer, a notice). Absent: not known, which is neither. */
  sender?: Sender | "system";
  /** The session that opened this one for a part of its work: its rules hold here too. */
  parent?: SessionFacts;
  /** Present in a sandbox. */
  sandbox?: SandboxFacts;
  /** Present where commands run in such a view of the host. */
  containment?: ContainmentFacts;
  /** Another program runs its calls and only asks for rules. The session table and missing containment do not apply. */
  guarded?: true;
}

/** What a session may do by default: `main` the operator's own, `group` with others, `sandboxed` in a sandbox. */
export type SessionKind = "main" | "group" | "sandboxed";

/** What policy may know of a tool: derived from its definition, never hand-kept. */
export interface ToolFacts {
  /** `plugin/name`, unique in a host. */
  id: string;
  /** As models call it. */
  name: string;
  /** The plugin it comes from. */
  pluginId: string;
  /** A plugin tool that is off until something names it. */
  optional: boolean;
  /** What a call may do, as the tool declares it. */
  effects: readonly ToolEffect[];
  /** Policy groups the tool names itself. */
  groups: readonly string[];
  /** Came with Haft, so the session table has a cell for it. */
  builtIn: boolean;
  /** What its parameter `action` can be, for tools that have one. */
  actions?: readonly string[];
  /** Its arguments, inner ones too. Absent when nothing is known of them. */
  parameters?: readonly ParameterFacts[];
  /** The MCP server it comes from, and its name there, for rules written as `mcp(server/tool)`. */
  mcp?: { server: string; tool: string };
  /** Nobody declared its effects: rules about effects cannot be ruled out. */
  effectsUnknown?: true;
}

/** What policy may know of an argument. */
export interface ParameterFacts {
  /** Canonical; inner ones as `to.address`. `env.*`, or `*`, where any name is possible. */
  name: string;
  /** Other spellings of its last part, which calls never have by the time policy looks at them. */
  aliases?: readonly string[];
  /** An object, or a list of them: its parts can be compared, it itself cannot. */
  compound?: true;
  /** All it can be, as text, where the schema lists that. */
  values?: readonly string[];
}

/** One thing that was looked at. */
export interface TraceStep {
  /** Which layer: `sessions`, `profile`, `deny`, `allow`, `exec`, `approval`, `loop` … */
  layer: string;
  /** The rule in words. */
  rule: string;
  /** Where it stands: a file and key, or `built-in`. */
  source: string;
  /** `pass`: it had nothing to say. */
  verdict: "allow" | "deny" | "ask" | "pass";
  /** What it says to some calls, and nothing to the others. Which kind this is was not known, hence the verdict. */
  toSome?: "deny" | "ask";
}

/** What policy says to a tool or a call. */
export interface Decision {
  /** `ask`: it runs when somebody agrees. */
  effect: "allow" | "deny" | "ask";
  /** Stable for the same question under the same policy; recorded in the ledger. */
  id: string;
  /** One sentence: which rule decided. */
  reason: string;
  /** The smallest change that would flip it; absent when it is allowed. */
  fix?: string;
  /** With `ask`: every single call is to be asked about, so what was allowed before does not count. Says why. */
  everyTime?: string;
  /** What a policy in shadow mode would have decided; nothing follows from it. */
  shadow?: Decision;
  /** Every rule looked at, in order; computed on demand. */
  readonly trace: readonly TraceStep[];
}

/** Policy as one session sees it. Pure and synchronous; cached per set of facts. */
export interface SessionPolicy {
  /** May the model see this tool at all? */
  visibility(tool: ToolFacts): Decision;
  /** May this call run? `args` are valid, or `undefined` if only the tool is known. Unknown facts get the stricter answer. */
  call(tool: ToolFacts, args: unknown, subjects?: CallSubjects): Decision;
  /** Is there a rule for this tool that depends on what a call would do? Otherwise nobody works that out. */
  needsSubjects?(tool: ToolFacts): boolean;
}

/** What decides who may call what. `@haft/policy` has one. */
export interface Policy {
  /** The rules for such a session. */
  forSession(facts: SessionFacts): SessionPolicy;
}
