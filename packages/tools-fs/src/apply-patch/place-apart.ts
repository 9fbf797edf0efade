import type { HaftError } from "@haft/plugin-sdk";
import { throwIfAborted } from "../changes/locks/path-queue.ts";
import { BudgetSpent, SearchBudget } from "../changes/match/search-budget.ts";
import { APART_MS } from "../defaults.ts";
import { fileToolError } from "../errors.ts";
import { Turns } from "../scheduling/turns.ts";
import { JobTimeout, WorkerThread, workerUrl } from "../scheduling/worker-thread.ts";
import { type PlacedSection, type PlacingJob, placeSection } from "./place-section.ts";

/** Larger files are not looked at on the thread of the host. */
const LARGEST_ON_HOST = 32 * 1024 * 1024;

const thread = new WorkerThread<PlacingJob, PlacedSection>(workerUrl("place-worker", import.meta.url));

/**
 * Places hunks without keeping other sessions waiting: on this thread, in turns with other work, where few steps are
 * enough; else on a thread of its own.
 *
 * @throws `PATCH_CONFLICT` when that takes too long.
 */
export async function placeApart(job: PlacingJob, signal?: AbortSignal): Promise<PlacedSection> {
  return (await placeHere(job, signal)) ?? (await placeInThread(job, signal));
}

async function placeHere(job: PlacingJob, signal?: AbortSignal): Promise<PlacedSection | undefined> {
  if (job.bytes.length > LARGEST_ON_HOST) return undefined;
  const turns = new Turns();
  const pause = (): Promise<void> | undefined => {
    throwIfAborted(signal);
    return turns.pause();
  };
  try {
    return await placeSection(job, { budget: SearchBudget.onHost(), pause });
  } catch (thrown) {
    if (thrown instanceof BudgetSpent) return undefined;
    throw thrown;
  }
}

async function placeInThread(job: PlacingJob, signal?: AbortSignal): Promise<PlacedSection> {
  try {
    return await thread.run(job, { signal, deadlineMs: APART_MS });
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof JobTimeout ? tookTooLong(job) : error;
  }
}

function tookTooLong({ path, bytes }: PlacingJob): HaftError {
  const message = `Looking for the hunks of ${path} (${bytes.length} bytes) was stopped after ${APART_MS / 1000} seconds. Nothing was changed.`;
  return fileToolError("PATCH_CONFLICT", message, {
    fix: "Send fewer hunks at once, with lines that stand only once in the file.",
    details: { conflicts: [], total: 0 },
  });
}
