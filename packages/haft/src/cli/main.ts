#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import { keepCompiled } from "./keep-compiled.ts";
import { nobodyReads } from "./nobody-reads.ts";

/** Milliseconds that something may go on once the command is done. */
const PATIENCE_MS = 1_000;

// Plugins may put another one in its place.
// oxlint-disable-next-line typescript/unbound-method
const { exit } = process;

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (nobodyReads(error)) return;
  console.error(`haft: standard output cannot be written: ${error.message}. What it has is not all.`);
  exit.call(process, 1);
});

process.exitCode = await runCommandLine(process.argv.slice(2), keepCompiled);
// Whoever called waits for the end: nothing that a plugin started keeps it, nor telemetry that nobody takes. Where nothing is left,
// nobody waits for this.
setTimeout(() => {
  // It is another one once a plugin has run here.
  void import("./end-leftovers.ts").then(({ endLeftovers }) => endLeftovers(process.exit !== exit));
}, PATIENCE_MS).unref();
