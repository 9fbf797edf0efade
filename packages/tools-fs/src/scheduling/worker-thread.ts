import { builtFile } from "@haft/system";
import { once } from "node:events";
import type { Transferable, Worker } from "node:worker_threads";

const IDLE_MS = 30_000;

interface JobOptions {
  signal: AbortSignal | undefined;
  deadlineMs: number;
  transfer?: readonly Transferable[];
}

type WorkerAnswer<T> = { value: T } | { error: string };

export class JobTimeout extends Error {}

/**
 * A thread for work that must not block or crash the host. It starts with the first job, runs one job at a time, is killed on an abort or
 * timeout, and ends when idle.
 */
export class WorkerThread<Job, Value> {
  private readonly url: URL;
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(url: URL) {
    this.url = url;
  }

  run(job: Job, options: JobOptions): Promise<Value> {
    const run = this.queue.then(() => this.runNow(job, options));
    this.queue = run.catch(() => {});
    return run;
  }

  private async runNow(job: Job, { signal, deadlineMs, transfer = [] }: JobOptions): Promise<Value> {
    signal?.throwIfAborted();
    clearTimeout(this.idle);
    const worker = (this.worker ??= await start(this.url));
    signal?.throwIfAborted();
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer<Value>>();
    const fail = (error: unknown): void => {
      this.end();
      reject(error);
    };
    const abort = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(new JobTimeout()), deadlineMs);
    signal?.addEventListener("abort", abort, { once: true });
    worker.once("message", resolve).once("error", fail);
    try {
      worker.postMessage(job, transfer);
      const answer = await promise;
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      worker.off("message", resolve).off("error", fail).unref();
      this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  private end(): void {
    void this.worker?.terminate();
    this.worker = undefined;
  }
}

/** Loading does not count as job time. */
async function start(url: URL): Promise<Worker> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(url);
  await once(worker, "message");
  return worker;
}

/** Returns the URL of a worker: next to the module `from` in the sources, else in `dist` of this package. */
export function workerUrl(name: string, from: string): URL {
  return from.endsWith(".ts")
    ? new URL(`./${name}.ts`, from)
    : builtFile("@haft/tools-fs", `${name}.js`, from);
}

export function answerJobs(run: (job: never) => unknown): void {
  parentPort()?.on("message", (job) => {
    void answerOf(() => run(job as never)).then(post);
  });
  post("ready");
}

async function answerOf(run: () => unknown): Promise<WorkerAnswer<unknown>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: String(error) };
  }
}

function post(message: unknown): void {
  parentPort()?.postMessage(message);
}

const parentPort = () => process.getBuiltinModule("node:worker_threads").parentPort;
