import type { SessionKind, ToolEffect } from "@haft/core";
import type { CellEffect } from "./policy.ts";

/**
 * Capabilities of an agent: `GET /api/abilities?kind=main&agent=ID`, or `?run=RUN` for an open or past session under the current rules.
 *
 * @example
 * ```ts
 * import type { AgentCapabilities } from "@haft/inspector";
 * const canWrite = (can: AgentCapabilities) => can.type === "session" && can.abilities.write.answer !== "no";
 * ```
 */
export type AgentCapabilities = SessionCapabilities | GuardedCapabilities;

export interface CapabilitySession {
  kind: SessionKind;
  agentId: string;
  /** The key of the conversation. */
  sessionKey?: string;
  runId?: string;
  model?: string;
  /** The message channel. */
  channel?: string;
  /** The group or room. */
  group?: string;
}

/**
 * `yes`: without a question. `some-asked`: parts without, others after a question. `some-refused`: parts without a question, others are
 * denied. `asks`: after a question. `no`: denied.
 */
export type CapabilityLevel = "yes" | "some-asked" | "some-refused" | "asks" | "no";

export type AccessMethodKind = "files" | "commands" | "leaving" | "process" | "plugins" | "nodes";

export interface AccessMethod {
  means: AccessMethodKind;
  answer: CapabilityLevel;
  /** Names. */
  tools: readonly string[];
  /** The deciding rule, as a sentence. */
  reason: string;
}

export interface Capability {
  /** The level of the strongest way. */
  answer: CapabilityLevel;
  /** The strongest first, without the level `no`. */
  means: readonly AccessMethod[];
}

export type EffectName = "read" | "write" | "commands" | "network" | "messages" | "machines";

/** Describes where commands of a session run, with the limits. */
export interface CommandTarget {
  /** `view`: in a view of this machine. `open`: on this machine as the user, without a limit. */
  where: "view" | "open" | "sandbox" | "node" | "elsewhere";
  /** The machine, with `node`. */
  name?: string;
  /** Access of commands to files of the session, with `view` and `sandbox`. */
  files?: "none" | "ro" | "rw";
  /** Writable folders, with `view`. */
  writes?: readonly string[];
  network?: "none" | "full" | "limited" | readonly string[];
  /** With `open`: the reason, if the policy asks for containment. */
  notContained?: string;
}

export interface SessionCapabilities {
  type: "session";
  session: CapabilitySession;
  /** `open`: in this process. `past`: ended or elsewhere, under the current rules. Absent: any such session. */
  state?: "open" | "past";
  /** The execution target of file tools. */
  place: string;
  /** File tools also open files outside the folders. */
  isWide: boolean;
  /** Folders of file tools, the main one first. */
  folders: readonly { name: string; path: string; access: "ro" | "rw" }[];
  abilities: Readonly<Record<EffectName, Capability>>;
  commands: CommandTarget;
  /** Names of paired machines. */
  nodes: readonly string[];
  /** Callable plugin tools. Their code has all permissions of the host, regardless of declared effects. */
  plugins: { unasked: readonly string[]; asked: readonly string[] };
  /** Patterns of files that file tools never open. */
  closed: readonly string[];
  /** Files that commands do not see. */
  hidden: readonly string[];
  /** Files that file tools only change after approval, regardless of the rules. */
  consent: readonly string[];
  /** Milliseconds for a decision and number of grants. */
  approvals: { mode: string; timeoutMs: number; grants: number };
  /** All tools with the policy's answer. */
  tools: readonly {
    name: string;
    pluginId: string;
    effects: readonly ToolEffect[];
    word: CellEffect;
    toSome?: Exclude<CellEffect, "allow">;
    toOthers?: CellEffect;
  }[];
  /** Number of other registered tools. */
  missing: number;
  record: { mode: string; undo: boolean; audit: boolean };
}

/** Known capabilities of an agent of another program that asks Haft before its calls. */
export interface GuardedCapabilities {
  type: "guarded";
  session: CapabilitySession;
  /** `claude`, `codex` and others. */
  client: string;
  /** The folder of the last question. */
  folder: string;
  /** Questions of the hook in this session, among the newest recorded calls. */
  asked: {
    calls: number;
    tools: readonly { name: string; calls: number; denied: number; waiting: number }[];
  };
  /** Actions without a question to the hook, as sentences. */
  notClosed: readonly string[];
}
