import type { SessionKind, ToolEffect } from "@haft/core";
import type { CellEffect } from "./policy.ts";

/**
 * What an agent can do, as facts for a page. `GET /api/abilities?kind=main&agent=ID`, or `?run=RUN` for an open or past session under the
 * present rules.
 *
 * @example
 * ```ts
 * import type { AgentCapabilities } from "@haft/inspector";
 * const canWrite = (can: AgentCapabilities) => can.type === "session" && can.abilities.write.answer !== "no";
 * ```
 */
export type AgentCapabilities = SessionCapabilities | GuardedCapabilities;

/** The session whose abilities are listed. */
export interface CapabilitySession {
  /** Its kind. */
  kind: SessionKind;
  /** The agent that has the conversation. */
  agentId: string;
  /** The key of the conversation, if the page is about one. */
  sessionKey?: string;
  /** The id of its run, if the page is about one. */
  runId?: string;
  /** The model, if it is known. */
  model?: string;
  /** The message channel, if there is one. */
  channel?: string;
  /** The group or room, if there is one. */
  group?: string;
}

/**
 * How far an agent can do something. `yes`: without a question. `some-asked`: a part of it without a question, another part after one.
 * `some-refused`: a part of it without a question, and another part is denied. `asks`: all of it after a question. `no`: nothing of it.
 */
export type CapabilityLevel = "yes" | "some-asked" | "some-refused" | "asks" | "no";

/** A way in which an agent does something. */
export type AccessMethodKind = "files" | "commands" | "leaving" | "process" | "plugins" | "nodes";

/** One way in which an agent can do something. */
export interface AccessMethod {
  /** The way. */
  means: AccessMethodKind;
  /** How far the agent can use it. */
  answer: CapabilityLevel;
  /** The names of its tools. */
  tools: readonly string[];
  /** The rule that decides, as a sentence. */
  reason: string;
}

/** Whether an agent can do something, in any way. */
export interface Capability {
  /** The level of the strongest way. */
  answer: CapabilityLevel;
  /** The ways, the strongest first, without those of the level `no`. */
  means: readonly AccessMethod[];
}

/** The effects by which abilities are listed. */
export type EffectName = "read" | "write" | "commands" | "network" | "messages" | "machines";

/** Where commands of a session run, and how that limits them. */
export interface CommandTarget {
  /**
   * `view`: in a view of this machine. `open`: on this machine as the user, without a limit. `sandbox`, `node`: in a sandbox, on a node.
   */
  where: "view" | "open" | "sandbox" | "node" | "elsewhere";
  /** With `node`: the name of the machine. */
  name?: string;
  /** With `view` and `sandbox`: whether commands can read or change files of the session. */
  files?: "none" | "ro" | "rw";
  /** With `view`: the folders in which commands write. */
  writes?: readonly string[];
  /** The network that commands reach. */
  network?: "none" | "full" | "limited" | readonly string[];
  /** With `open`: why commands are not contained, although the policy asks for it. */
  notContained?: string;
}

/** What the agent of a session of Haft can do. */
export interface SessionCapabilities {
  /** Distinguishes it from the abilities of guarded agents. */
  type: "session";
  /** The session. */
  session: CapabilitySession;
  /**
   * `open`: it is open in this process. `past`: it has ended or runs elsewhere, and these are the present rules. Absent: any such session.
   */
  state?: "open" | "past";
  /** The execution target of its file tools. */
  place: string;
  /** Whether file tools also open files outside of its folders. */
  isWide: boolean;
  /** The folders of its file tools, the main one first. */
  folders: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** What it can do, by effect. */
  abilities: Readonly<Record<EffectName, Capability>>;
  /** Where its commands run. */
  commands: CommandTarget;
  /** The names of paired machines. */
  nodes: readonly string[];
  /** The callable tools of plugins. Their code has all permissions of the host, whatever effects they declare. */
  plugins: { unasked: readonly string[]; asked: readonly string[] };
  /** Patterns of files that its file tools never open. */
  closed: readonly string[];
  /** Files that commands do not see. */
  hidden: readonly string[];
  /** Files that file tools change only after a person has agreed, whatever the rules say. */
  consent: readonly string[];
  /** What happens to calls that need approval, the milliseconds a decision may take, and the number of grants. */
  approvals: { mode: string; timeoutMs: number; grants: number };
  /** All of its tools, with the answer of the policy. */
  tools: readonly {
    name: string;
    pluginId: string;
    effects: readonly ToolEffect[];
    word: CellEffect;
    toSome?: Exclude<CellEffect, "allow">;
    toOthers?: CellEffect;
  }[];
  /** Number of registered tools that it does not have. */
  missing: number;
  /** What is recorded of its calls. */
  record: { mode: string; undo: boolean; audit: boolean };
}

/** What is known of an agent of another program that asks Haft before its calls. */
export interface GuardedCapabilities {
  /** Distinguishes it from sessions of Haft. */
  type: "guarded";
  /** The session. */
  session: CapabilitySession;
  /** The program: `claude`, `codex` and others. */
  client: string;
  /** The folder of its last question. */
  folder: string;
  /** The questions of its hook in this session, among the newest recorded calls. */
  asked: {
    calls: number;
    tools: readonly { name: string; calls: number; denied: number; waiting: number }[];
  };
  /** What the program does without a question to its hook, as sentences. */
  notClosed: readonly string[];
}
