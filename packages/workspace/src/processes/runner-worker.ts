import type { ProcessTableOptions } from "./process-table.ts";
import { ProcessTable } from "./process-table.ts";
import { serveProcesses } from "./runner-server.ts";

/**
 * The runner: a program that starts and keeps commands for a host that talks to it over standard input and output.
 * It depends on Node alone. Its only argument is {@link ProcessTableOptions} as JSON. When its input ends the host
 * is gone or done, and so is everything it started.
 */
const LAST_GRACE_MS = 500;

const options = JSON.parse(process.argv[2] ?? "{}") as ProcessTableOptions;
const table = new ProcessTable(options);
// It answers to its host. A signal for the terminal the host was started from is not for the commands.
for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => {});
process.once("SIGTERM", () => void end());
process.stdout.on("error", () => void end());
serveProcesses(table, process.stdin, process.stdout, () => void end());

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await table.close(LAST_GRACE_MS);
  // oxlint-disable-next-line unicorn/no-process-exit -- a program; children that could not be killed must not keep it
  process.exit(0);
}
