import { builtFile } from "@haft/system";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { JobAnswer, JobMessage, ScanJob } from "./scan-protocol.ts";

const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism()));
/** Idle threads end after this time. */
const IDLE_MS = 30_000;
/** A job normally takes some milliseconds. After this time its thread hangs, in a pattern or in a file system. */
const MAX_JOB_MS = 5_000;

/** The thread ended, hung or failed. The caller continues without it. */
export class ThreadFailed extends Error {}

interface Pending {
  resolve: (answer: JobAnswer) => void;
  reject: (failure: ThreadFailed) => void;
  timer: NodeJS.Timeout;
}

export class ScanThread {
  readonly #pending = new Map<number, Pending>();
  #worker: Promise<Worker> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #jobs = 0;

  get load(): number {
    return this.#pending.size;
  }

  /** Returns the number of the job and its answer. @throws ThreadFailed */
  async run(work: ScanJob): Promise<{ job: number } & Exclude<JobAnswer, { failed: string }>> {
    clearTimeout(this.#idle);
    const job = (this.#jobs += 1);
    const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
    const timer = setTimeout(() => this.end("it took too long"), MAX_JOB_MS);
    this.#pending.set(job, { resolve, reject, timer });
    this.#worker ??= startWorker(this);
    void this.#send({ job, work });
    const answer = await promise;
    if ("failed" in answer) throw new ThreadFailed(answer.failed);
    return answer;
  }

  async #send(message: JobMessage): Promise<void> {
    try {
      const worker = await this.#worker;
      worker?.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker?.postMessage(message);
    } catch (thrown) {
      this.end(String(thrown));
    }
  }

  settle(answer: JobAnswer): void {
    const pending = this.#pending.get(answer.job);
    if (pending === undefined) return;
    this.#pending.delete(answer.job);
    clearTimeout(pending.timer);
    pending.resolve(answer);
    if (this.#pending.size > 0) return;
    void this.#worker?.then((worker) => worker.unref());
    this.#idle = setTimeout(() => this.end("it was idle"), IDLE_MS).unref();
  }

  end(why: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.then(
      (ended) =>
        ended
          .removeAllListeners()
          .on("error", () => {})
          .terminate(),
      () => {},
    );
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new ThreadFailed(why));
    }
    this.#pending.clear();
  }
}

async function startWorker(thread: ScanThread): Promise<Worker> {
  const { Worker } = await import("node:worker_threads");
  const url = import.meta.url;
  const program = url.endsWith(".ts")
    ? new URL("./scan-worker.ts", url)
    : builtFile("@haft/workspace", "scan-worker.js", url);
  const worker = new Worker(program);
  worker.on("message", (answer: JobAnswer) => thread.settle(answer));
  worker.on("error", (error) => thread.end(String(error)));
  worker.on("exit", () => thread.end("it ended"));
  return worker;
}

const threads: ScanThread[] = [];

/** Returns the thread with the fewest jobs, or a new thread. */
export function chooseThread(): ScanThread {
  const free = threads.toSorted((one, other) => one.load - other.load)[0];
  if (free !== undefined && (free.load === 0 || threads.length >= MAX_THREADS)) return free;
  const created = new ScanThread();
  threads.push(created);
  return created;
}
