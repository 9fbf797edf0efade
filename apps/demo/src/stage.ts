import type { ToolMeta, ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { Host } from "haft";
import type { Check, processesIn, Snapshot, TestRun } from "./look.ts";
import type { DemoModel } from "./model.ts";
import type { ProjectCopy } from "./project-copy.ts";
import type { Screen } from "./screen.ts";
import type { PartName } from "./usage.ts";

/** Who speaks in a session. */
export type Speaker = "owner" | "visitor" | "guest" | "traveller" | "ringer" | "developer" | "talker";

/** What `--json` prints: each part adds its own. */
export interface Report extends Partial<Record<PartName, object>> {
  ok: boolean;
  durationMs: number;
  model: { kind: string; name: string };
  tests?: { before: TestRun; after?: TestRun };
  server?: { port: number; answer: string; processes: ReturnType<typeof processesIn> };
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The copy, when it was kept. */
  copy?: string;
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
  /** What is closed when all was looked at, in this order. */
  readonly closing: (() => Promise<unknown>)[];
}

/** Looks at the disk, and at what was written down, after all parts have run. */
export type Verify = () => Promise<Check[]> | Check[];

export interface Part {
  readonly name: PartName;
  readonly title: string;
  /** Parts that must have run before. */
  readonly needs?: readonly PartName[];
  run(stage: Stage, screen: Screen): Promise<Verify | undefined>;
}
