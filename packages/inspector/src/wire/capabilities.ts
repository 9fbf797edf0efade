import type { SessionKind, ToolEffect } from "@haft/core";
import type { CellEffect } from "./policy.ts";

/**
 * Capabilities of an agent: `GET /api/abilities?kind=main&agent=ID`, or `?run=RUN` for a session under
 * current rules.
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
 * `yes`: unasked. `some-asked`: parts unasked, others asked. `some-refused`: parts unasked, others denied.
 * `asks`: asked. `no`: denied.
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
  /** Strongest first, without `no`. */
  means: readonly AccessMethod[];
}

export type EffectName = "read" | "write" | "commands" | "network" | "messages" | "machines";

/** Describes where commands run, with limits. */
export interface CommandTarget {
  /** `view`: in a view of this machine. `open`: on this machine as the user, unlimited. */
  where: "view" | "open" | "sandbox" | "node" | "elsewhere";
  /** The machine, with `node`. */
  name?: string;
  /** Command access to session files, with `view` and `sandbox`. */
  files?: "none" | "ro" | "rw";
  /** Writable folders, with `view`. */
  writes?: readonly string[];
  network?: "none" | "full" | "limited" | readonly string[];
  /** With `open`: why requested containment is missing. */
  notContained?: string;
}

export interface SessionCapabilities {
  type: "session";
  session: CapabilitySession;
  /** `open`: in this process. `past`: ended or elsewhere. Absent: any such session. */
  state?: "open" | "past";
  /** The execution target of file tools. */
  place: string;
  /** File tools also work outside the folders. */
  isWide: boolean;
  /** File tools' folders, main first. */
  folders: readonly { name: string; path: string; access: "ro" | "rw" }[];
  abilities: Readonly<Record<EffectName, Capability>>;
  commands: CommandTarget;
  /** Names of paired machines. */
  nodes: readonly string[];
  /** Callable plugin tools, whose code has all host permissions. */
  plugins: { unasked: readonly string[]; asked: readonly string[] };
  /** Patterns that file tools never open. */
  closed: readonly string[];
  /** Files hidden from commands. */
  hidden: readonly string[];
  /** Files that always need approval for changes. */
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
  /** Number of other tools. */
  missing: number;
  record: { mode: string; undo: boolean; audit: boolean };
}

/** Known capabilities of another program's agent that asks Haft before calls. */
export interface GuardedCapabilities {
  type: "guarded";
  session: CapabilitySession;
  /** `claude`, `codex` and others. */
  client: string;
  /** The last question's folder. */
  folder: string;
  /** Questions of the hook among the newest recorded calls. */
  asked: {
    calls: number;
    tools: readonly { name: string; calls: number; denied: number; waiting: number }[];
  };
  /** Actions without a question, as sentences. */
  notClosed: readonly string[];
}
