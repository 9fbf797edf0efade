import { createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import { specFor } from "./spec-for.ts";
import { talk, TINY_RUNNER } from "./tiny-runner.ts";

/** A host of its own, to be killed: opens a sandbox in which a process runs away, and says its reference. */
const [stateFolder, workspace, mark] = process.argv.slice(2) as [string, string, string];
const backend = createBubblewrapBackend({ stateFolder, runner: async () => ({ source: TINY_RUNNER }) });
const connection = await backend.open(specFor(workspace));
await talk(connection.stream).run(`setsid sh -c 'sleep 987; : ${mark}' >/dev/null 2>&1 &`);
process.stdout.write(`${JSON.stringify(connection.ref)}\n`);
