import { writeSync } from "node:fs";
import { enableCompileCache } from "../compile-cache.ts";
import { failClosed } from "./fail-closed.ts";

// What agents start before each call. It loads the program that decides with the code that Node compiled earlier.
const words = process.argv.slice(2);

// Before anything else is loaded.
const ending = failClosed();

void start().catch((thrown: unknown) => {
  writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  end(2);
});

async function start(): Promise<void> {
  // Agents show a person or a model what a hook writes to standard error: warnings of Node are not for them.
  process.removeAllListeners("warning");
  // The code that is loaded below needs it, and its own error would not name the cause.
  if (Promise.withResolvers === undefined)
    throw new Error(`Node ${process.version} is too old: run haft guard install with 22.18 or newer.`);
  enableCompileCache();
  const { answerHook } = await import("@haft/guard/internal/hook");
  // Rare parts are only loaded when they are needed.
  const { exitCode } = await answerHook(
    words,
    async () => (await import("@haft/guard/internal/hook-modules")).lazyHookModules,
  );
  // What a late answer left running is nobody's business any more.
  end(exitCode);
}

function end(exitCode: number): void {
  ending(exitCode);
  process.exit(exitCode);
}
