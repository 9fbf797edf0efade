import { writeSync } from "node:fs";
import { join } from "node:path";
import { INSIDE } from "../../guard/hook/inside.ts";
import { compiledFolder } from "../keep-compiled.ts";
import { failClosed } from "./fail-closed.ts";
import type * as decidesProgram from "./guard-decides.ts";
import { keptProgram } from "./kept-program.ts";

type Program = typeof decidesProgram;

// What agents start before each call: it loads the program that decides, with the code that earlier calls compiled. Where it is a
// thread of an agent, it starts once, and what Node keeps is the agent's to say.
const words = process.argv.slice(2);
const folder = import.meta.url.endsWith(".ts") || words[0] === INSIDE ? undefined : compiledFolder();

// Before anything else is loaded. What ends a thread is told by the module that began it.
const ending = words[0] === INSIDE ? undefined : failClosed();

void start().catch((thrown: unknown) => {
  // The module that began the thread is told, and tells the model; the terminal is the agent's.
  if (words[0] === INSIDE) throw thrown;
  writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  end(2);
});

async function start(): Promise<void> {
  // Agents show a person or a model what a hook writes to standard error: warnings of Node are not for them.
  if (words[0] !== INSIDE) process.removeAllListeners("warning");
  // What is loaded below uses it, and says nothing that helps where it is not there.
  if (Promise.withResolvers === undefined)
    throw new Error(`Node ${process.version} is too old: run haft guard install with 22.18 or newer.`);
  if (folder === undefined) return answer(await import("./guard-decides.ts"));
  const { program, keep } = keptProgram(join(import.meta.dirname, "guard-decides.cjs"), folder);
  return answer(program as Program, keep);
}

async function answer({ decides }: Program, keep?: (way: string) => void): Promise<void> {
  const answered = await decides(words);
  if (answered === undefined) return;
  const { exitCode, way } = answered;
  if (way !== undefined) keep?.(way);
  // What a late answer left running is nobody's business any more.
  end(exitCode);
}

function end(exitCode: number): void {
  ending?.(exitCode);
  process.exit(exitCode);
}
