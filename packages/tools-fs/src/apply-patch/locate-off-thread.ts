import type { HaftError } from "@haft/plugin-sdk";
import { throwIfAborted } from "../changes/locks/path-queue.ts";
import { BudgetExceededError, SearchBudget } from "../changes/match/search-budget.ts";
import { WORKER_DEADLINE_MS } from "../defaults.ts";
import { fileToolError } from "../errors.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { JobTimeout, WorkerThread, workerUrl } from "../scheduling/worker-thread.ts";
import { type LocatedSection, type LocateJob, locateSection } from "./locate-section.ts";

/** Larger files use a worker thread. */
const LARGEST_ON_HOST = 32 * 1024 * 1024;

const thread = new WorkerThread<LocateJob, LocatedSection>(workerUrl("locate-worker", import.meta.url));

/**
 * Runs small jobs in turns, large jobs on a worker thread.
 *
 * @throws `PATCH_CONFLICT` if that takes too long
 */
export async function locateSectionOffThread(job: LocateJob, signal?: AbortSignal): Promise<LocatedSection> {
  return (await locateHere(job, signal)) ?? (await locateInThread(job, signal));
}

async function locateHere(job: LocateJob, signal?: AbortSignal): Promise<LocatedSection | undefined> {
  if (job.bytes.length > LARGEST_ON_HOST) return undefined;
  const turns = new EventLoopYielder();
  const pause = (): Promise<void> | undefined => {
    throwIfAborted(signal);
    return turns.pause();
  };
  try {
    return await locateSection(job, { budget: SearchBudget.onHost(), pause });
  } catch (thrown) {
    if (thrown instanceof BudgetExceededError) return undefined;
    throw thrown;
  }
}

async function locateInThread(job: LocateJob, signal?: AbortSignal): Promise<LocatedSection> {
  try {
    return await thread.run(job, { signal, deadlineMs: WORKER_DEADLINE_MS });
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof JobTimeout ? tookTooLong(job) : error;
  }
}

function tookTooLong({ path, bytes }: LocateJob): HaftError {
  const message = `The search for the hunks of ${path} (${bytes.length} bytes) was stopped after ${WORKER_DEADLINE_MS / 1000} seconds. Nothing was changed.`;
  return fileToolError("PATCH_CONFLICT", message, {
    fix: "Send fewer hunks at once, with lines that occur only once in the file.",
    details: { conflicts: [], total: 0 },
  });
}
