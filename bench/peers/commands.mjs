import { createCodingTools } from "@mariozechner/pi-coding-agent";
import { concurrent, GIB_OF_OUTPUT, holdMemory, measured } from "../work/commands.ts";

const bash = createCodingTools(import.meta.dirname).find(({ name }) => name === "bash");
let calls = 0;
const run = async (command) => {
  await bash.execute(`call_${++calls}`, { command }, new AbortController().signal);
};

export const runTrue = () => ({ run: () => run("true") });

export function runTrueInLargeHost() {
  holdMemory();
  return runTrue();
}

export const twoHundred = () => ({ sample: () => concurrent(run) });
export const oneGigabyte = () => ({ sample: () => measured(() => run(GIB_OF_OUTPUT)) });
