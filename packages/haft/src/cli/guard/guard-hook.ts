import { writeSync } from "node:fs";
import { INSIDE } from "../../guard/hook/inside.ts";
import { keepCompiled } from "../keep-compiled.ts";
import { failClosed } from "./fail-closed.ts";

// What agents start before each call. It loads the program that decides with the code that Node compiled earlier.
// As a thread of an agent it starts once, and the agent says what Node keeps.
const words = process.argv.slice(2);
const isThread = words[0] === INSIDE;

// Before anything else is loaded. The module that began a thread reports the end of that thread.
const ending = isThread ? undefined : failClosed();

void start().catch((thrown: unknown) => {
  // The module that began the thread is told, and tells the model; the terminal is the agent's.
  if (isThread) throw thrown;
  writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  end(2);
});

async function start(): Promise<void> {
  // Agents show a person or a model what a hook writes to standard error: warnings of Node are not for them.
  if (!isThread) process.removeAllListeners("warning");
  // The code that is loaded below needs it, and its own error would not name the cause.
  if (Promise.withResolvers === undefined)
    throw new Error(`Node ${process.version} is too old: run haft guard install with 22.18 or newer.`);
  if (!isThread) keepCompiled();
  const { decides } = await import("./guard-decides.ts");
  const answered = await decides(words);
  // What a late answer left running is nobody's business any more.
  if (answered !== undefined) end(answered.exitCode);
}

function end(exitCode: number): void {
  ending?.(exitCode);
  process.exit(exitCode);
}
