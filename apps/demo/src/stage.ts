import type { AgentModel } from "@haft/chat";
import type { SessionKind, ToolMeta, ToolOutcome } from "@haft/core";
import type { MissingTool, Session } from "@haft/core/kernel";
import type { Host } from "haft";
import type { FoundProcess } from "./look/processes-in.ts";
import type { TestRun } from "./look/project-tests.ts";
import type { Snapshot } from "./look/snapshot.ts";
import type { ProjectCopy } from "./project-copy.ts";
import type { Screen } from "./screen/screen.ts";

export const partNames = [
  "tools",
  "repair",
  "denied",
  "sandbox",
  "node",
  "contained",
  "formats",
  "ledger",
  "chat",
] as const;
export type PartName = (typeof partNames)[number];

/** Who speaks in a session. */
export type Speaker = "owner" | "visitor" | "guest" | "traveller" | "ringer" | "developer" | "talker";

/** One thing that was looked at when all was over. */
export interface Check {
  what: string;
  ok: boolean;
  /** What was found. */
  found: string;
}

/** What `--json` prints: each part adds its own. */
export interface Report {
  ok: boolean;
  durationMs: number;
  model: { kind: string; name: string };
  tools?: Record<SessionKind, { offered: string[]; missing: MissingTool[] }>;
  tests?: { before: TestRun; after?: TestRun };
  server?: { port: number; answer: string; processes: FoundProcess[] | undefined };
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  denied?: { tool: string; reason: string; fix: string | undefined };
  sandbox?: SandboxVisit | { missing: string };
  node?: { where: string; changedHere: string[]; entriesHere: number } | { missing: string };
  contained?: ContainedVisit | NotContained;
  formats?: { call: string; markdown: string; plain: string };
  /** Messages of the user, and the tools that somebody was asked about. */
  chat?: { said: number; asked: readonly string[] };
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The copy, when it was kept. */
  copy?: string;
}

/** An attempt to get out. `possible`: the same succeeds on the host, otherwise it would prove nothing. */
export interface Attempt {
  possible: boolean;
  kept: boolean;
  answer: string;
}

/** What somebody in the sandbox could reach: a file of the host, a server of it, a command on it. */
export type SandboxVisit = Record<"file" | "network" | "host", Attempt> & { backend: string };

/** What contained commands did. */
export interface ContainedVisit {
  /** Commands that stay in the view, and how many of them `careful` asks about. */
  steps: number;
  askedUnderCareful: number;
  /** Reasons of the questions that a person was asked. */
  questions: string[];
  /** A file beside the repository: before somebody let a command leave, and after. */
  left: { before: boolean; after: boolean };
  network: Pick<Attempt, "possible" | "kept">;
  /** Where git is there. `heldBack`: the line that said what of git's settings was. */
  git?: { worked: boolean; heldBack: string | undefined; toldSecret: boolean; user: UsersLook };
}

/** What the user's own git finds afterwards. `plantable`: planted by the user, a program does run. */
export interface UsersLook {
  status: string;
  fsck: boolean;
  ranPlanted: boolean;
  plantable: boolean;
}

/** What happened where nothing contains commands. `unlistedRan`: a command that is on no list did something, or may have. */
export interface NotContained {
  missing: string;
  questions: string[];
  unlistedRan: boolean;
}

/** The models of the conversations. Live, all are the same. */
export interface DemoModel extends AsyncDisposable {
  kind: "scripted" | "live";
  /** For people: which model, and where. */
  name: string;
  owner: AgentModel;
  visitor: AgentModel;
  /** Works in the sandbox. */
  guest: AgentModel;
  /** Answers twice, and remembers. */
  talker: AgentModel;
}

/** A session whose calls are shown as they end. */
export interface WatchedSession {
  readonly session: Session;
  /** How every call ended, in order. */
  readonly outcomes: readonly ToolOutcome[];
}

/** What the parts share. */
export interface Stage {
  readonly host: Host;
  readonly copy: ProjectCopy;
  /** The copy before anybody touched it. */
  readonly original: Snapshot;
  readonly model: DemoModel;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Sessions opened so far, by who speaks. They stay open to the end. */
  readonly sessions: Map<Speaker, WatchedSession>;
}

export interface Part {
  readonly name: PartName;
  readonly title: string;
  /** Parts that must have run before. */
  readonly needs: readonly PartName[];
  run(stage: Stage, screen: Screen): Promise<void>;
  /** Looks at the disk, and at what was written down, after all parts have run. */
  verify?(stage: Stage): Promise<Check[]>;
}
