#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import { keepCompiled } from "./keep-compiled.ts";
import { nobodyReads } from "./nobody-reads.ts";

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (!nobodyReads(error)) throw error;
});

// Compared, and not called.
// oxlint-disable-next-line typescript/unbound-method
const { exit } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), keepCompiled);
// It is another one once a plugin has run here.
if (process.exit !== exit) (await import("./end-leftovers.ts")).endLeftovers();
