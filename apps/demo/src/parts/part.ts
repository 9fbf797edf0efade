import type { ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { Host } from "haft";
import type { DemoModel } from "../model.ts";
import type { ProjectCopy } from "../project-copy.ts";
import type { Check, Report } from "../report.ts";
import type { Screen } from "../screen/screen.ts";
import type { Snapshot } from "../snapshot.ts";

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
