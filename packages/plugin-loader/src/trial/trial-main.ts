import type { GuardedModules } from "@haft/config/internal/trust";
import { readFileSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { describePlugin } from "../describe/describe-plugin.ts";
import { isUntrustedError, explainLoadError } from "../load/explain-load-error.ts";
import { importPlugin } from "../load/import-plugin.ts";
import type { TrialLine } from "./trial-lines.ts";

/** A plugin may print to standard output. */
const ANSWERS = 3;

// Separate program: a plugin is isolated from the host.
const [file = "", name = "", longestMs = "0", isGuarded] = process.argv.slice(2);

// If the host dies, this thread kills a process that loops.
const END_ITSELF = `setTimeout(() => process.kill(process.pid, "SIGKILL"), ${Number(longestMs)});`;
new Worker(END_ITSELF, { eval: true, stdout: true, stderr: true }).unref();

process.on("exit", (code) => say({ exit: code }));
process.on("uncaughtException", fail);

try {
  if (isGuarded !== undefined) await guard();
  const { module, loader } = await importPlugin(file, undefined, {
    uses: (used) => say({ uses: used }),
    misses: (missed) => say({ misses: missed }),
  });
  const read = await describePlugin(module, name);
  // Background failures would otherwise end the host later.
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  say("plugin" in read ? { loader, described: read.described, notes: read.notes } : { problem: read });
  end();
} catch (thrown) {
  fail(thrown);
}

/** The host sends the files on standard input. */
async function guard(): Promise<void> {
  const { ModuleGuard } = await import("@haft/config/internal/trust");
  for (const record of JSON.parse(readFileSync(0, "utf8")) as GuardedModules[])
    new ModuleGuard(record).guard(file);
}

function fail(thrown: unknown): void {
  say({ problem: explainLoadError(name, thrown), isUntrusted: isUntrustedError(thrown) });
  end();
}

function end(): void {
  process.kill(process.pid, "SIGKILL");
}

function say(line: TrialLine): void {
  writeSync(ANSWERS, `${JSON.stringify(line)}\n`);
}
