import { parentPort } from "node:worker_threads";
import type { Answer } from "./worker-thread.ts";

/** The worker's side of a {@link WorkerThread}: runs each job it is sent and answers it. */
export function answerJobs(run: (job: never) => unknown): void {
  parentPort?.on("message", (job) => {
    void answer(() => run(job as never)).then(post);
  });
  post("ready");
}

async function answer(run: () => unknown): Promise<Answer<unknown>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: String(error) };
  }
}

function post(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
  parentPort?.postMessage(message);
}
