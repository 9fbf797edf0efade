import type { CallSubjects, ToolEffect } from "./plan.ts";

/** Somebody whose message a call answers. A host fills in what it has verified, and nothing else. */
export interface Sender {
  id?: string;
  phone?: string;
  username?: string;
  /** Display name: anybody can choose one, so rules on it are no protection. */
  name?: string;
}

/** What a sandbox keeps from its commands. */
export interface SandboxFacts {
  /** How the workspace's files are mounted inside. */
  mount: "none" | "ro" | "rw";
  network: "none" | "limited" | "full";
}

/** Who is calling, as far as policy is concerned. */
export interface SessionFacts {
  /** `sandboxed` is a group session in a sandbox. */
  kind: SessionKind;
  agentId: string;
  /** Model as `provider/model` or a bare name; empty when unknown. */
  model: string;
  messageChannel: string;
  /** The group or room of the conversation, as the host derived it; never what a caller says. */
  groupId?: string;
  /** `system`: the host itself started the turn (a timer, a notice). Absent: not known, which is neither. */
  sender?: Sender | "system";
  /** The session that opened this one for a part of its work: its rules hold here too. */
  parent?: SessionFacts;
  /** Present in a sandbox. */
  sandbox?: SandboxFacts;
}

export type SessionKind = "main" | "group" | "sandboxed";

/** What policy may know of a tool: derived from its definition, never hand-kept. */
export interface ToolFacts {
  /** `plugin/name`, unique in a host. */
  id: string;
  name: string;
  pluginId: string;
  /** A plugin tool that is off until something names it. */
  optional: boolean;
  effects: readonly ToolEffect[];
  groups: readonly string[];
  /** Came with Haft, so the session table has a cell for it. */
  builtIn: boolean;
  /** What its parameter `action` can be, for tools that have one. */
  actions?: readonly string[];
  /** Its arguments, inner ones too. Absent when nothing is known of them. */
  parameters?: readonly ParameterFacts[];
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
  verdict: "allow" | "deny" | "ask" | "pass";
}

export interface Decision {
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
  /**
   * May this call run? `args` are canonical and valid. Without `subjects`, rules that depend on them give
   * their stricter answer.
   */
  call(tool: ToolFacts, args: unknown, subjects?: CallSubjects): Decision;
  /** Is there a rule for this tool that depends on what a call would do? Otherwise nobody works that out. */
  needsSubjects?(tool: ToolFacts): boolean;
}

export interface Policy {
  forSession(facts: SessionFacts): SessionPolicy;
}
