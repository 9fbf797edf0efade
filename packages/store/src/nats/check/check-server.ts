import { HaftError } from "@haft/core";
import type { RunRecord } from "@haft/core/internal";
import { formatNames, toStoreProblem, storeError } from "../../errors.ts";
import type { StoreProblem } from "../../state-store.ts";
import type { NatsApprovals } from "../approvals/nats-approvals.ts";
import { checkStreams, type StreamOptions } from "../connection/ensure-streams.ts";
import type { Link } from "../connection/link.ts";
import { unreadableRecordError } from "../connection/nats-error.ts";
import { readLog } from "../ledger/read-log.ts";
import type { RunEntry, RunsBucket } from "../ledger/runs-bucket.ts";
import { getLogSubject } from "../ledger/take-run.ts";

/** Checks streams, runs, states of calls, requests and grants, not contents of calls. Changes nothing. */
export async function checkServer(
  { link, runs, approvals }: { link: Link; runs: RunsBucket; approvals: NatsApprovals },
  streams: StreamOptions,
): Promise<StoreProblem[]> {
  const found: StoreProblem[] = [];
  const attempt = async (part: () => Promise<void>) => {
    try {
      await part();
    } catch (thrown) {
      if (!HaftError.is(thrown)) throw thrown;
      found.push({ code: thrown.code, message: thrown.message, fix: thrown.fix ?? "" });
    }
  };
  const missing = (message: string) => found.push(toStoreProblem("STORE_INCOMPLETE", message));
  await attempt(() => checkStreams(link, streams));
  if (found.length > 0) return found;
  await attempt(async () => {
    const subjects = await subjectsOf(link);
    const entries = await runs.find({});
    const gaps: string[] = [];
    for (const entry of entries) await attempt(async () => void gaps.push(...(await gapsOf(link, entry))));
    if (gaps.length > 0) missing(`Calls are missing from the middle of ${formatNames(gaps)}.`);
    const orphans = await withoutRun(link, runs, subjects, entries);
    if (orphans.length > 0) missing(`There are calls without their run: ${formatNames(orphans)}.`);
    if (runs.broken.length > 0)
      throw unreadableRecordError(`in the bucket ${link.names.runs} ${formatNames(runs.broken)}`);
  });
  await attempt(async () => {
    await approvals.requests();
    await approvals.allGrants();
    const problem = approvals.problem();
    if (problem !== undefined) throw storeError("STORE_CORRUPT", problem);
  });
  return found;
}

async function subjectsOf(link: Link): Promise<readonly string[]> {
  const { ledger, everything } = link.names;
  const { state } = await link.ask("The stream of calls could not be read", () =>
    link.jsm.streams.info(ledger, { subjects_filter: everything }),
  );
  return Object.keys(state.subjects ?? {}).filter((subject) => subject.endsWith(".log"));
}

async function gapsOf(link: Link, { run, trimmed = 0 }: RunEntry): Promise<string[]> {
  const subject = getLogSubject(link, run);
  const { calls } = await readLog(link, subject);
  const sequences = new Set<number>();
  let latest = trimmed;
  for (const { past } of calls.get(subject)?.values() ?? []) {
    if (past.seq > trimmed) sequences.add(past.seq);
    latest = Math.max(latest, past.seq);
  }
  const count = latest - trimmed - sequences.size;
  return count === 0 ? [] : [`run ${run.runId}: ${count} calls`];
}

/** Uses earlier subjects, since a run may be removed in between. */
async function withoutRun(
  link: Link,
  runs: RunsBucket,
  subjects: readonly string[],
  entries: readonly { run: RunRecord }[],
): Promise<string[]> {
  const known = new Set(entries.map(({ run }) => getLogSubject(link, run)));
  const orphans: string[] = [];
  for (const subject of subjects) {
    if (known.has(subject)) continue;
    const runId = subject.split(".").at(-2)!;
    if (!(await readLog(link, subject)).calls.has(subject)) continue;
    if ((await runs.find({ runId })).length === 0) orphans.push(`run ${runId}`);
  }
  return orphans;
}
