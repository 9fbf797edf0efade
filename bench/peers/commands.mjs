import { createCodingTools } from "@earendil-works/pi-coding-agent";
import { setTimeout as sleep } from "node:timers/promises";
import {
  runConcurrent,
  exitToReport,
  GIB_OUTPUT_COMMAND,
  holdMemory,
  measureWork,
} from "../work/commands.ts";

const bash = createCodingTools(import.meta.dirname).find(({ name }) => name === "bash");
let calls = 0;
const run = async (command) => {
  const { content } = await bash.execute(`call_${++calls}`, { command }, new AbortController().signal);
  return JSON.stringify(content);
};

export const runTrue = () => ({ run: () => run("true") });

export const runTrueApart = () => ({ before: () => sleep(5), run: () => run("true") });
export const exitToResult = () => ({ sample: () => exitToReport(run) });

export function runTrueInLargeHost() {
  holdMemory();
  return runTrue();
}

export const twoHundred = () => ({ sample: () => runConcurrent(run) });
export const oneGigabyte = () => ({ sample: () => measureWork(() => run(GIB_OUTPUT_COMMAND)) });
