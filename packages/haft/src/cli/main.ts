#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import { enableCompileCache } from "./compile-cache.ts";
import { isBrokenPipe } from "./is-broken-pipe.ts";

/** Milliseconds that something may go on once the command is done. */
const PATIENCE_MS = 1_000;

// Plugins may put another one in its place.
// oxlint-disable-next-line typescript/unbound-method
const { exit } = process;

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (isBrokenPipe(error)) return;
  console.error(`haft: standard output cannot be written: ${error.message}. What it has is not all.`);
  exit.call(process, 1);
});

process.exitCode = await runCommandLine(process.argv.slice(2), enableCompileCache);
// Whoever called waits for the end: nothing that a plugin started keeps it, nor telemetry that nobody takes. Where nothing is left,
// nobody waits for this.
setTimeout(() => {
  // It is another one once a plugin has run here.
  endLeftovers(process.exit !== exit);
}, PATIENCE_MS).unref();

/** Ends the process of a command that is done, though something keeps it. @param ofPlugin a plugin ran in it, and is told of */
function endLeftovers(ofPlugin: boolean): void {
  const kinds = new Set(process.getActiveResourcesInfo().filter((kind) => !/^(?:TTY|Pipe)/.test(kind)));
  const what = kinds.size === 0 ? "Something" : [...kinds].join(", ");
  const words = ofPlugin
    ? `haft: ${what} would go on, and is ended. Where it is a plugin's, its author ends it in dispose, or has the signal of setup do so.\n`
    : "";
  // What is not written yet comes before the end.
  process.stderr.write(words, () => process.stdout.write("", () => process.exit()));
}
