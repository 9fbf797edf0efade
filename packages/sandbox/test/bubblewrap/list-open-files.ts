import { join } from "node:path";
import { createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import { specFor } from "../spec-for.ts";
import { talk, TINY_RUNNER } from "./tiny-runner.ts";

/** Prints what a command in a sandbox has open, and what there is in it. */
const [workspace, folder] = process.argv.slice(2) as [string, string];
const backend = createBubblewrapBackend({
  stateFolder: join(folder, "state"),
  runner: async () => ({ source: TINY_RUNNER }),
});
const connection = await backend.open(specFor(workspace));
const script =
  "ls -l /proc/self/fd; for fd in /proc/self/fd/*; do [ -f $fd ] && cat $fd; [ -d $fd/. ] && ls $fd/; done";
process.stdout.write((await talk(connection.stream).run(script)).output);
await connection.close();
