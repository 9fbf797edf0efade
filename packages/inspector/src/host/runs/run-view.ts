import type { RunRecord, Session } from "@haft/core/kernel";
import { getOwnerStatus } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import type { ListPage, Run } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { liveRun } from "./live-ledger.ts";

/** The latest times need not have the latest `seq`. */
const NEWEST = 8;
/** Calls searched for running calls. */
const RECENT = 200;

/** Newest first, after sessions without calls. */
export async function listRuns(
  looking: InspectionContext,
  { session, limit, after }: { session?: string; limit: number; after?: string },
): Promise<ListPage<Run>> {
  const page = await looking.ledger().runs(withoutUndefined({ sessionKey: session, limit, after }));
  const items = await Promise.all(page.items.map((record) => toRunView(looking, record)));
  const fresh = after === undefined ? freshRuns(looking, session) : [];
  return { items: [...fresh, ...items], ...(page.next !== undefined && { next: page.next }) };
}

/** The first call creates the run. */
function freshRuns(looking: InspectionContext, sessionKey: string | undefined): Run[] {
  if (!looking.hasStoredLedger()) return [];
  return looking.internals.sessions
    .all()
    .filter(
      ({ session }) => session.run === undefined && (sessionKey === undefined || session.key === sessionKey),
    )
    .map((opened) => shown(looking, liveRun(opened), { calls: 0 }))
    .toReversed();
}

export async function findRunView(looking: InspectionContext, runId: string): Promise<Run | undefined> {
  const record = await looking.ledger().run(runId);
  if (record !== undefined) return toRunView(looking, record);
  const live = looking.live(runId);
  return live && shown(looking, liveRun(live), { calls: 0 });
}

export async function toRunView(looking: InspectionContext, record: RunRecord): Promise<Run> {
  const { items } = await looking.ledger().calls({ runId: record.runId, limit: NEWEST });
  const calls = items.reduce((most, { seq }) => Math.max(most, seq), 0);
  return shown(looking, record, withoutUndefined({ calls, lastAt: items[0]?.createdAt }));
}

function shown(looking: InspectionContext, record: RunRecord, known: Pick<Run, "calls" | "lastAt">): Run {
  const live = looking.live(record.runId)?.session;
  const run = { ...runFromRecord(record), ...known };
  if (looking.internals.ledger === undefined) delete run.record;
  return live === undefined ? run : { ...run, state: "live", busy: busyOf(live) };
}

export function runFromRecord(record: RunRecord): Run {
  const { runId, sessionKey, facts, workspace, openedAt, epoch, closedAt } = record;
  const heldBy = getHolder(record);
  return withoutUndefined<Run>({
    runId,
    sessionKey,
    kind: facts.kind,
    agentId: facts.agentId,
    channel: facts.messageChannel || undefined,
    group: facts.groupId,
    model: facts.model || undefined,
    place: workspace.place,
    cwd: workspace.cwd,
    record: record.mode,
    openedAt,
    epoch,
    state: closedAt !== undefined ? "closed" : heldBy === undefined ? "left" : "held",
    closedAt,
    heldBy: heldBy && { host: heldBy.host, pid: heldBy.pid },
    calls: 0,
  });
}

function busyOf(session: Session): NonNullable<Run["busy"]> {
  const waiting = session.pendingApprovals().length;
  const running = session
    .ledger()
    .slice(-RECENT)
    .filter(({ status }) => status === "executing").length;
  return { running, waiting };
}

/** The holder may have crashed. */
export function getHolder({ heldBy }: Pick<RunRecord, "heldBy">): RunRecord["heldBy"] {
  if (heldBy === undefined) return undefined;
  const { pid, started, host, boot: space = host } = heldBy;
  return getOwnerStatus({ pid, started, space }) === "gone" ? undefined : heldBy;
}
