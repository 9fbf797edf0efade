import type { SessionKind, ToolMeta, ToolOutcome } from "@haft/core";
import type { MissingTool } from "@haft/core/kernel";
import type { ContainedVisit } from "./contained/visit-view.ts";
import type { TestRun } from "./project-tests.ts";
import type { SandboxVisit } from "./sandbox-visit.ts";
import type { SeenServer } from "./server-watch.ts";

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
  server?: SeenServer;
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  denied?: { tool: string; reason: string; fix: string | undefined };
  /** What was found in the sandbox, or why there was none. */
  sandbox?: SandboxVisit | { missing: string };
  /** Where the node was, and what changed on the host meanwhile; or why there was none. */
  node?: { where: string; changedHere: string[]; entriesHere: number } | { missing: string };
  /** What contained commands did, or why nothing contained them. */
  contained?: ContainedVisit | NotContained;
  formats?: { call: string; markdown: string; plain: string };
  /** Messages of the user in the conversation, and the tools that somebody was asked about. */
  chat?: { said: number; asked: readonly string[] };
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The copy, when it was kept. */
  copy?: string;
}

/** What happened where nothing contains commands. */
export interface NotContained {
  /** Why nothing does. */
  missing: string;
  /** Reasons of the questions that were asked instead. */
  questions: string[];
  /** A command that is on no list did something, or may have. */
  unlistedRan: boolean;
}
