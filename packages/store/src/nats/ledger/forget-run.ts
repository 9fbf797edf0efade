import { randomUUID } from "node:crypto";
import type { Link } from "../connection/link.ts";
import { forgetProcesses } from "../processes/nats-processes.ts";
import { toBatch, type LoggedCall } from "./messages.ts";
import { readLog, readRecords } from "./read-log.ts";
import type { RunEntry, RunsBucket } from "./runs-bucket.ts";
import { createRunLog, getLogSubject } from "./take-run.ts";

/**
 * Removes the calls of a free run, except waiting calls, which are rewritten first, and an empty run. Returns the number of removed calls.
 */
export async function forgetRun(link: Link, runs: RunsBucket, entry: RunEntry): Promise<number> {
  // Conflicts with processes that take the run.
  const claimed = { run: { ...entry.run, epoch: entry.run.epoch + 1 }, holder: randomUUID() };
  const revision = await runs.put(claimed, entry.revision);
  if (revision === undefined) return 0;
  const subject = getLogSubject(link, claimed.run);
  const { calls: found, head } = await readLog(link, subject);
  const calls = [...(found.get(subject)?.values() ?? [])];
  const waiting = calls.filter(({ past }) => past.status === "pending");
  if (waiting.length === 0) {
    await purge(link, subject);
    await runs.remove(claimed.run, revision);
    await runs.purge(claimed.run);
    await forgetProcesses(link, claimed.run.runId);
  } else {
    await keepOnly(link, subject, { ...claimed, head }, waiting);
    const trimmed = calls.reduce((most, { past }) => Math.max(most, past.seq), 0);
    await runs.put({ run: claimed.run, trimmed }, revision);
  }
  return calls.length - waiting.length;
}

async function keepOnly(
  link: Link,
  subject: string,
  { head, ...stored }: Parameters<typeof createRunLog>[1] & { head: number },
  waiting: readonly LoggedCall[],
): Promise<void> {
  const records = (await readRecords(link, waiting)).filter((record) => record !== undefined);
  const seq = await createRunLog(link, stored, head).append(toBatch(records));
  // Its pieces are newer than the previous head.
  if (seq !== undefined) await purge(link, subject, { log: seq, parts: head + 1 });
}

async function purge(link: Link, subject: string, below?: { log: number; parts: number }): Promise<void> {
  const { ledger } = link.names;
  const parts = subject.replace(/log$/, "part");
  await link.ask("The calls could not be removed", () =>
    Promise.all([
      link.jsm.streams.purge(ledger, { filter: subject, ...(below && { seq: below.log }) }),
      link.jsm.streams.purge(ledger, { filter: parts, ...(below && { seq: below.parts }) }),
    ]),
  );
}
