import {
  type CallRecord,
  createGapRecord,
  toInterruptedCall,
  leaseLostError,
  newRunId,
  toPastCall,
  type RunHolder,
  type RunOpening,
  type RunRecord,
  runNotFoundError,
  sessionHeldError,
} from "@haft/core/internal";
import { bootId, getCurrentProcess } from "@haft/system";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Link } from "../connection/link.ts";
import { sessionToken } from "../connection/names.ts";
import type { LeaseTimes } from "./lease-times.ts";
import { toBatch, type LoggedCall } from "./messages.ts";
import { NatsLease, formatHolder } from "./nats-lease.ts";
import { NatsRun } from "./nats-run.ts";
import { readLog, readRecords } from "./read-log.ts";
import { RunLog } from "./run-log.ts";
import type { StoredRun, RunEntry, RunsBucket } from "./runs-bucket.ts";
import { waitForLease } from "./wait-for-lease.ts";

export interface LedgerContext {
  readonly link: Link;
  readonly runs: RunsBucket;
  readonly times: LeaseTimes;
}

export async function takeRun(context: LedgerContext, opening: RunOpening): Promise<NatsRun> {
  opening.signal?.throwIfAborted();
  let entry = opening.resume === undefined ? undefined : await wanted(context, opening);
  if (entry === undefined) {
    const begun = await begin(context, opening);
    if (begun instanceof NatsRun) return begun;
    entry = begun;
  }
  for (;;) {
    const { run } = entry;
    if (entry.holder !== undefined) {
      if (opening.takeOver !== true) throw sessionHeldError(run);
      const free = await waitForLease(context.link, context.runs, entry, context.times, opening.signal);
      if (free === undefined) return await instead(context, opening, run);
      entry = free;
    }
    const taken = await continueRun(context, opening, entry);
    if (taken !== undefined) return taken;
    entry = await context.runs.get(run);
    if (entry === undefined) return await instead(context, opening, run);
  }
}

async function instead(context: LedgerContext, opening: RunOpening, { runId }: RunRecord): Promise<NatsRun> {
  if (opening.resume !== true) throw runNotFoundError(runId, opening.sessionKey);
  return await takeRun(context, opening);
}

async function wanted({ runs }: LedgerContext, opening: RunOpening): Promise<RunEntry | undefined> {
  const { resume, sessionKey } = opening;
  const runId = resume === true ? undefined : resume;
  const found = chosen(await runs.find({ sessionKey, runId }), opening);
  if (found === undefined && runId !== undefined) throw runNotFoundError(runId, sessionKey);
  return found;
}

/** Returns the latest run of a session and agent; of concurrent runs the first, on every host. */
function chosen(
  entries: readonly RunEntry[],
  { sessionKey, facts }: Pick<RunOpening, "sessionKey" | "facts">,
): RunEntry | undefined {
  const matching = entries.filter(
    ({ run }) => run.sessionKey === sessionKey && run.facts.agentId === facts.agentId,
  );
  const settled = matching.filter(({ isNew }) => isNew === undefined);
  const latest = settled.toSorted((a, b) => (a.run.runId < b.run.runId ? -1 : 1)).at(-1);
  return latest ?? matching.toSorted((a, b) => a.revision - b.revision)[0];
}

/** Creates a run, or returns another host's run. */
async function begin(context: LedgerContext, opening: RunOpening): Promise<NatsRun | RunEntry> {
  const { sessionKey, facts, workspace, mode, openedWith, runId } = opening;
  const openedAt = Date.now();
  const run: RunRecord = {
    runId: runId ?? newRunId(),
    sessionKey,
    facts,
    workspace,
    mode,
    ...(openedWith && { openedWith }),
    openedAt,
    epoch: 1,
    heldBy: { ...thisHolder(), since: openedAt },
  };
  const stored = { run, holder: randomUUID() };
  const sent = context.times.clock();
  const isOne = opening.resume !== undefined;
  const revision = await context.runs.put(isOne ? { ...stored, isNew: true } : stored, 0);
  if (revision === undefined) {
    // An earlier attempt, whose answer was lost, may have used the id.
    if (runId === undefined) throw sessionHeldError(run);
    const { runId: _taken, ...anew } = opening;
    return begin(context, anew);
  }
  if (isOne) {
    // One of the two hosts finds the other's run.
    const one = chosen(await context.runs.listLatest(sessionKey), opening);
    if (one !== undefined && one.run.runId !== run.runId) {
      await context.runs.forget(run, revision);
      return one;
    }
  }
  const lease = new NatsLease(context.runs, stored, context.times, { revision, sent });
  return new NatsRun({
    ...context,
    record: run,
    lease,
    log: createRunLog(context.link, stored, 0),
    calls: new Map(),
  });
}

/** Takes a run; `undefined` if another host was first. */
export async function continueRun(
  context: LedgerContext,
  { facts, workspace, mode, openedWith }: Omit<RunOpening, "sessionKey">,
  entry: RunEntry,
): Promise<NatsRun | undefined> {
  const { closedAt: _, openedWith: _before, ...before } = entry.run;
  const heldBy = { ...thisHolder(), since: Date.now() };
  const { trimmed } = entry;
  const described = { facts, workspace, mode, ...(openedWith && { openedWith }) };
  const run: RunRecord = { ...before, ...described, epoch: before.epoch + 1, heldBy };
  const stored = { run, holder: randomUUID(), ...(trimmed !== undefined && { trimmed }) };
  const sent = context.times.clock();
  const revision = await context.runs.put(stored, entry.revision);
  if (revision === undefined) return undefined;
  const lease = new NatsLease(context.runs, stored, context.times, { revision, sent });
  try {
    return await fence(context, stored, lease, entry.holder !== undefined);
  } catch (thrown) {
    await lease.release(undefined).catch(() => {});
    throw thrown;
  }
}

/** Fences out earlier holders with a write, fails their executing calls, and reads their last writes. */
async function fence(
  context: LedgerContext,
  stored: StoredRun,
  lease: NatsLease,
  wasHeld: boolean,
): Promise<NatsRun> {
  const { link } = context;
  const { run } = stored;
  const subject = getLogSubject(link, run);
  for (;;) {
    lease.lost.throwIfAborted();
    const { calls: found, head } = await readLog(link, subject);
    const calls = new Map<string, LoggedCall>(found.get(subject));
    const ended = await afterDeath(link, calls, run, wasHeld);
    const log = createRunLog(link, stored, head);
    const seq = await log.append(toBatch(ended));
    if (seq === undefined) {
      const now = await context.runs.get(run);
      if (now?.holder === stored.holder) continue;
      lease.lose("another host was first");
      throw leaseLostError(run, now && formatHolder(now.run));
    }
    for (const call of ended) calls.set(call.toolCallId, { past: toPastCall(call), seq });
    return new NatsRun({ ...context, record: run, lease, log, calls });
  }
}

async function afterDeath(
  link: Link,
  calls: ReadonlyMap<string, LoggedCall>,
  { epoch }: RunRecord,
  wasHeld: boolean,
): Promise<CallRecord[]> {
  const now = Date.now();
  const all = [...calls.values()];
  const executing = await readRecords(
    link,
    all.filter(({ past }) => past.status === "executing"),
  );
  const ended = executing.flatMap((call) => (call === undefined ? [] : [toInterruptedCall(call, now)]));
  if (!wasHeld) return ended;
  const seq = all.reduce((most, { past }) => Math.max(most, past.seq), 0) + 1;
  return [...ended, createGapRecord({ seq, epoch }, now)];
}

export function getLogSubject({ names }: Link, { sessionKey, runId }: RunRecord): string {
  return names.log(sessionToken(sessionKey), runId);
}

export function createRunLog(link: Link, { run, holder = "" }: StoredRun, head: number): RunLog {
  const parts = link.names.parts(sessionToken(run.sessionKey), run.runId);
  return new RunLog(link, { subject: getLogSubject(link, run), parts, holder, head });
}

function thisHolder(): RunHolder {
  const { pid, started } = getCurrentProcess();
  return { host: hostname(), pid, started, ...boot() };
}

function boot(): Pick<RunHolder, "boot"> {
  try {
    return { boot: bootId() };
  } catch {
    return {};
  }
}
