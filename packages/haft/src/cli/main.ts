#!/usr/bin/env node
import { capturePluginOutput } from "@haft/plugin-loader/internal/output";
import { runCommandLine } from "./command-line.ts";
import { enableCompileCache } from "./compile-cache.ts";
import { isBrokenPipe } from "./is-broken-pipe.ts";

/** Milliseconds for resources to close. */
const PATIENCE_MS = 1_000;

const WORDS: Readonly<Record<string, string>> = {
  Timeout: "a timer",
  Immediate: "a timer",
  ProcessWrap: "a child process",
  TCPServerWrap: "a server",
  TCPSocketWrap: "a connection",
  TLSWrap: "a connection",
  UDPWrap: "a socket",
  FSEventWrap: "a watch of files",
  StatWatcher: "a watch of files",
  MessagePort: "a thread",
  Worker: "a thread",
};

// Plugins may replace it.
// oxlint-disable-next-line typescript/unbound-method
const { exit } = process;

process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  if (isBrokenPipe(error)) return;
  console.error(`haft: standard output cannot be written: ${error.message}. The output is incomplete.`);
  exit.call(process, 1);
});

capturePluginOutput();
process.exitCode = await runCommandLine(process.argv.slice(2), enableCompileCache);
// Plugin resources and unsent telemetry must not delay callers.
setTimeout(() => {
  endLeftovers(process.exit !== exit);
}, PATIENCE_MS).unref();

function endLeftovers(ofPlugin: boolean): void {
  const kinds = process.getActiveResourcesInfo().filter((kind) => !/^(?:TTY|Pipe)/.test(kind));
  const words = new Set(kinds.map((kind) => WORDS[kind] ?? `a resource (${kind})`));
  const what = words.size === 0 ? "A resource" : [...words].join(", ").replace(/^a/, "A");
  const line = ofPlugin
    ? `haft: ${what} kept the process alive and was ended. A plugin must close its resources in dispose, or with the signal of setup.\n`
    : "";
  // Flushes output.
  process.stderr.write(line, () => process.stdout.write("", () => process.exit()));
}
