import { writeSync } from "node:fs";
import { enableCompileCache } from "../compile-cache.ts";
import { failClosed } from "./fail-closed.ts";

// Agents start this before each call; it uses compiled code.
const words = process.argv.slice(2);

// Must precede all other imports.
const ending = failClosed();

void start().catch((thrown: unknown) => {
  writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  end(2);
});

async function start(): Promise<void> {
  // Agents show a hook's standard error to a person or model.
  process.removeAllListeners("warning");
  // The code below needs it, and its error would be unclear.
  if (Promise.withResolvers === undefined)
    throw new Error(`Node ${process.version} is too old: run haft guard install with 22.18 or newer.`);
  enableCompileCache();
  const { answerHook } = await import("@haft/guard/internal/hook");
  const { exitCode } = await answerHook(
    words,
    async () => (await import("@haft/guard/internal/hook-modules")).lazyHookModules,
  );
  // Late work is not awaited.
  end(exitCode);
}

function end(exitCode: number): void {
  ending(exitCode);
  process.exit(exitCode);
}
