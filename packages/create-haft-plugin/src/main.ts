#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

const stop = new AbortController();
// What was begun is undone before the process ends; a second one ends it at once.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`ended by ${signal}`));
  });
process.exitCode = await runCommandLine(process.argv.slice(2), stop.signal);
