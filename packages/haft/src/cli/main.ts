#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import { enableCompileCache } from "./compile-cache.ts";
import { isBrokenPipe } from "./is-broken-pipe.ts";

/** Milliseconds for resources to close. */
const PATIENCE_MS = 1_000;

// Plugins may replace it.
// oxlint-disable-next-line typescript/unbound-method
const { exit } = process;

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (isBrokenPipe(error)) return;
  console.error(`haft: standard output cannot be written: ${error.message}. The output is incomplete.`);
  exit.call(process, 1);
});

process.exitCode = await runCommandLine(process.argv.slice(2), enableCompileCache);
// Plugin resources and unsent telemetry must not delay callers.
setTimeout(() => {
  endLeftovers(process.exit !== exit);
}, PATIENCE_MS).unref();

function endLeftovers(ofPlugin: boolean): void {
  const kinds = new Set(process.getActiveResourcesInfo().filter((kind) => !/^(?:TTY|Pipe)/.test(kind)));
  const what = kinds.size === 0 ? "Something" : [...kinds].join(", ");
  const words = ofPlugin
    ? `haft: ${what} kept the process alive and was ended. A plugin must close its resources in dispose, or with the signal of setup.\n`
    : "";
  // Flushes output.
  process.stderr.write(words, () => process.stdout.write("", () => process.exit()));
}
