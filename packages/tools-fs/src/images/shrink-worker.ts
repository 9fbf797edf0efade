import { parentPort } from "node:worker_threads";
import { shrink } from "./shrink.ts";
import type { ShrinkJob } from "./shrink.ts";
import type { Answer } from "../threads/worker-thread.ts";
import type { ShrinkAnswer } from "./shrink.ts";

parentPort?.on("message", (job: ShrinkJob) => {
  shrink(job).then(
    (value) => post({ value }),
    (error: unknown) => post({ error: String(error) }),
  );
});

function post(answer: Answer<ShrinkAnswer>): void {
  parentPort?.postMessage(answer);
}
