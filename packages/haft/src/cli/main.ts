#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

/** Whoever reads may leave first (`| head`): that is no crash. */
const NOBODY_READS = new Set(["EPIPE", "EIO", "ECONNRESET"]);
process.stderr.on("error", () => {});
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (!NOBODY_READS.has(error.code ?? "")) throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2));
