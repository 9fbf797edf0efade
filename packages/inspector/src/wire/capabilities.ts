import type { SessionKind, ToolEffect } from "@haft/core";
import type { CellEffect } from "./policy.ts";

/**
 * `GET /api/abilities?kind=main&agent=ID`, or `?run=RUN` for the rules of an open or past session as they are now: what the agent
 * can do, as facts for a page in words.
 */
export type AgentCapabilities = SessionCapabilities | GuardedCapabilities;

/** Whose abilities. */
export interface CapabilitySession {
  /** Its kind. */
  kind: SessionKind;
  /** The agent that has the conversation. */
  agentId: string;
  /** The conversation, where the page is about one. */
  sessionKey?: string;
  /** Its run, where the page is about one. */
  runId?: string;
  /** The model, where that is known. */
  model?: string;
  /** The channel, where there is one. */
  channel?: string;
  /** The group or room, where there is one. */
  group?: string;
}

/**
 * How far an agent can do something. `yes`: unasked. `some-asked`: some of it unasked, some asked about. `some-refused`: some of it
 * unasked, some refused. `asks`: nothing of it before somebody agreed. `no`: nothing of it.
 */
export type CapabilityLevel = "yes" | "some-asked" | "some-refused" | "asks" | "no";

/** A way in which an agent does something. */
export type AccessMethodKind = "files" | "commands" | "leaving" | "process" | "plugins" | "nodes";

/** How far one way leads. */
export interface AccessMethod {
  /** Which way. */
  means: AccessMethodKind;
  /** How far it leads. */
  answer: CapabilityLevel;
  /** The tools it consists of. */
  tools: readonly string[];
  /** Which rule says so, in a sentence. */
  reason: string;
}

/** Whether an agent can do something, by all means together. */
export interface Capability {
  /** That of the strongest means. */
  answer: CapabilityLevel;
  /** The strongest first. Those by which nothing of it can be done are left out. */
  means: readonly AccessMethod[];
}

/** What an agent can do, by effect. */
export type EffectName = "read" | "write" | "commands" | "network" | "messages" | "machines";

/** Where commands of a session run, and what that keeps from them. */
export interface CommandTarget {
  /** In a view of this machine, as the user without a limit, in a sandbox, on a node, or somewhere else. */
  where: "view" | "open" | "sandbox" | "node" | "elsewhere";
  /** The machine, with `node`. */
  name?: string;
  /** With `view` and `sandbox`: whether files of the session can be changed. */
  files?: "none" | "ro" | "rw";
  /** With `view`: the folders that commands write in. */
  writes?: readonly string[];
  /** What they reach. */
  network?: "none" | "full" | "limited" | readonly string[];
  /** With `open`: the policy wants them contained, and nothing can do that here. The reason. */
  notContained?: string;
}

/** What the agent of a session of Haft can do. */
export interface SessionCapabilities {
  /** Tells it from what is known of guarded agents. */
  type: "session";
  /** Whose abilities. */
  session: CapabilitySession;
  /** `open`: it is open here. `past`: it has ended or runs elsewhere, and these are the rules of now. Absent: any such session. */
  state?: "open" | "past";
  /** Where the files of its file tools are. */
  place: string;
  /** File tools open files outside of their folders as well. */
  isWide: boolean;
  /** The folders of its file tools, main one first. */
  folders: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** What it can do, by effect. */
  abilities: Readonly<Record<EffectName, Capability>>;
  /** Where its commands run. */
  commands: CommandTarget;
  /** Paired machines. */
  nodes: readonly string[];
  /** Tools of plugins that can be called: their code runs with the rights of the host, whatever they declare. */
  plugins: { unasked: readonly string[]; asked: readonly string[] };
  /** Patterns of files that its file tools do not open. */
  closed: readonly string[];
  /** Files that commands do not see. */
  hidden: readonly string[];
  /** What file tools change only after a person agreed, whatever rules say. */
  consent: readonly string[];
  /** Calls that wait are decided by whom, and after how many milliseconds they are given up. */
  approvals: { mode: string; timeoutMs: number; grants: number };
  /** All tools it has, and what policy says to each. */
  tools: readonly {
    name: string;
    pluginId: string;
    effects: readonly ToolEffect[];
    word: CellEffect;
    toSome?: Exclude<CellEffect, "allow">;
    toOthers?: CellEffect;
  }[];
  /** Tools it could have, and does not. */
  missing: number;
  /** What is written down of what it does. */
  record: { mode: string; undo: boolean; audit: boolean };
}

/** What is known of an agent that another program runs, and that asks Haft before its calls. */
export interface GuardedCapabilities {
  /** Tells it from sessions of Haft. */
  type: "guarded";
  /** Whose abilities. */
  session: CapabilitySession;
  /** The program: `claude`, `codex` … */
  client: string;
  /** The folder in which it was asked last. */
  folder: string;
  /** What its hook was asked about in this session, among the newest calls that are kept. */
  asked: {
    calls: number;
    tools: readonly { name: string; calls: number; denied: number; waiting: number }[];
  };
  /** What the hook of this client is not asked about: sentences. */
  notClosed: readonly string[];
}
