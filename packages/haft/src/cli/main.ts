#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import { keepCompiled } from "./keep-compiled.ts";
import { nobodyReads } from "./nobody-reads.ts";

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (!nobodyReads(error)) throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), keepCompiled);
