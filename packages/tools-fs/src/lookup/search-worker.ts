import { parentPort } from "node:worker_threads";
import type { Answer } from "../threads/worker-thread.ts";
import { searchText } from "./search-text.ts";
import type { PieceResult, SearchJob } from "./search-text.ts";

parentPort?.on("message", (job: SearchJob) => {
  parentPort?.postMessage({ value: searchText(job) } satisfies Answer<PieceResult[]>);
});
