import type { MissingTool, SessionKind, ToolMeta, ToolOutcome } from "@haft/core";
import type { Check } from "./parts/part.ts";
import type { TestRun } from "./project-tests.ts";

/** What `--json` prints: each part adds its own. */
export interface Report {
  ok: boolean;
  durationMs: number;
  model: { kind: string; name: string };
  tools?: Record<SessionKind, { offered: string[]; missing: MissingTool[] }>;
  tests?: { before: TestRun; after?: TestRun };
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  denied?: { tool: string; reason: string; fix: string | undefined };
  formats?: { call: string; markdown: string; plain: string };
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The copy, when it was kept. */
  copy?: string;
}
