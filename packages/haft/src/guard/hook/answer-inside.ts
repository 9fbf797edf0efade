import type { HookAnswer } from "@haft/guard";
import { type LoadParts, partsOf, runInTime } from "./answer-hook.ts";
import { readHookLine } from "./hook-line.ts";
import { LARGEST } from "./read-input.ts";

/** What the module in an agent sends to its thread, and hears from it. */
export interface InsideCall {
  id: number;
  /** The payload as JSON, as a hook's process would get it. */
  text: string;
}
export interface InsideAnswer {
  id: number;
  /** Nothing: a process of Node has to be asked, since it failed in the agent's runtime, which has not all that Node has. */
  answer?: HookAnswer;
}

const IS_NODE = process.versions["bun"] === undefined;

/**
 * Answers the calls of the agent of which this is a thread, each by itself and in whatever order they are done. A loop in here is
 * ended from outside: the module that began the thread has a deadline of its own.
 *
 * @param words the Node of this installation, and the words of a hook
 * @throws Error where they are none, or this is no thread
 */
export function answerInside([node = "", ...words]: readonly string[], load: LoadParts): void {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  if (parentPort === null) throw new Error("--inside is for a thread of an agent");
  const line = { ...readHookLine(words), inside: { node } };
  const parts = partsOf(load);
  const read = async (text: string) => {
    if (text.length > LARGEST) throw new Error(`the payload is larger than ${LARGEST / 1024 / 1024} MB`);
    return text;
  };
  const answerCall = async ({ id, text }: InsideCall): Promise<void> => {
    const { failure, answer } = await runInTime(line, async () => read(text), parts);
    const told: InsideAnswer = failure !== undefined && !IS_NODE ? { id } : { id, answer };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
    parentPort.postMessage(told);
  };
  parentPort.on("message", (call: InsideCall) => void answerCall(call));
}
