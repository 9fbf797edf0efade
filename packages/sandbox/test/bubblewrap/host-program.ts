import { existsSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import { specFor } from "../spec-for.ts";
import { talk, TINY_RUNNER } from "./tiny-runner.ts";

/** A host of its own, to be killed: opens a sandbox in which a process runs away, and says its reference. */
keepCompiled();
const [stateFolder, workspace, mark, dieAfter] = process.argv.slice(2) as [string, string, string, string?];
const backend = createBubblewrapBackend({ stateFolder, runner: async () => ({ source: TINY_RUNNER }) });
const opening = backend.open(specFor(workspace));
// From when there is something to leave behind.
if (dieAfter !== undefined) {
  while (!existsSync(stateFolder) || readdirSync(stateFolder).length === 0) await nextTurn();
  setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(dieAfter));
}
const connection = await opening;
await talk(connection.stream).run(`setsid sh -c 'sleep 987; : ${mark}' >/dev/null 2>&1 &`);
process.stdout.write(`${JSON.stringify(connection.ref)}\n`);
