import { HaftError, type HaftErrorOptions } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { throwIfAborted } from "../changes/locks/path-queue.ts";
import { WORKER_DEADLINE_MS } from "../defaults.ts";
import { CR } from "../lines/scanner.ts";
import { JobTimeout, WorkerThread, workerUrl } from "../scheduling/worker-thread.ts";
import { editTimeoutError } from "./edit-errors.ts";
import type { EditRequest } from "./edit-request.ts";
import type { EditAnswer, EditJob } from "./edit-worker.ts";
import { type PlannedEdits, planEdits } from "./plan-edits.ts";

/** Limits the search on the host's thread: bytes of the file and the edits, counted per edit. */
const MOST_ON_HOST = 1024 * 1024;
/** Exact matches are found at memory speed. */
const MOST_EXACT_ON_HOST = 64 * 1024 * 1024;
const LONGEST_EXACT = 512;
const MOST_COMPARISONS = 1 << 27;

const thread = new WorkerThread<EditJob, EditAnswer>(workerUrl("edit-worker", import.meta.url));

interface EditPlanning {
  wasMade: (edit: EditRequest) => boolean;
  signal: AbortSignal | undefined;
}

/**
 * Works like {@link planEdits}, but runs large searches on a worker.
 *
 * @throws The errors of {@link planEdits}; `EDIT_AMBIGUOUS` if it takes too long
 */
export async function planEditsOffThread(
  path: string,
  bytes: Buffer,
  edits: readonly EditRequest[],
  { wasMade, signal }: EditPlanning,
): Promise<PlannedEdits> {
  const starts = findStarts(bytes, edits);
  if (starts !== undefined) return planEdits(path, bytes, edits, wasMade, starts);
  const job: EditJob = { path, bytes, edits, made: edits.map(wasMade) };
  let answer: EditAnswer;
  try {
    answer = await thread.run(job, { signal, deadlineMs: WORKER_DEADLINE_MS });
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof JobTimeout ? editTimeoutError(path, bytes.length, WORKER_DEADLINE_MS) : error;
  }
  if ("planned" in answer) return answer.planned;
  const { code, message, ...options } = answer.refused;
  throw new HaftError(code, message, withoutUndefined<HaftErrorOptions>(options));
}

/** Returns where the matches of large files start, or `undefined` if the search takes too long for the host's thread. */
function findStarts(bytes: Buffer, edits: readonly EditRequest[]): number[] | undefined {
  let requested = 0;
  let all = 0;
  for (const { oldText, newText } of edits) {
    requested += oldText.length;
    all += oldText.length + newText.length;
  }
  const searched = bytes.length * edits.length + all;
  if (searched <= MOST_ON_HOST) return bytes.length * requested <= MOST_COMPARISONS ? [] : undefined;
  if (searched > MOST_EXACT_ON_HOST) return undefined;
  const starts: number[] = [];
  for (const edit of edits) {
    const start = findAtOnce(bytes, edit);
    if (start < 0) return undefined;
    starts.push(start);
  }
  return starts;
}

function findAtOnce(bytes: Buffer, { oldText, replaceAll }: EditRequest): number {
  if (replaceAll || oldText.length > LONGEST_EXACT) return -1;
  if (/[\r\n]/.test(oldText) && bytes.includes(CR)) return -1;
  const start = bytes.indexOf(oldText);
  // A mark means the start of the text, so the search is for the rest.
  return start > 0 && oldText.startsWith("\uFEFF") ? 0 : start;
}
