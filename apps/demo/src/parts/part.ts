import type { Host } from "haft";
import type { DemoModel } from "../model.ts";
import type { ProjectCopy } from "../project-copy.ts";
import type { Report } from "../report.ts";
import type { Screen } from "../screen/screen.ts";
import type { Snapshot } from "../snapshot.ts";
import type { WatchedSession } from "../watched-session.ts";

export const partNames = ["tools", "repair", "denied", "formats", "ledger"] as const;
export type PartName = (typeof partNames)[number];

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
  readonly sessions: Map<"owner" | "visitor", WatchedSession>;
}

/** One thing that was looked at when all was over. */
export interface Check {
  what: string;
  ok: boolean;
  /** What was found. */
  found: string;
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
