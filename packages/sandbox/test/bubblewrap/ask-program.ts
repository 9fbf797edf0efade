import { createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import { specFor } from "../spec-for.ts";
import { talk, TINY_RUNNER } from "./tiny-runner.ts";

/** A host of its own, in a mount namespace of its own: runs one command, with a second folder that is read-only, and says what it wrote. */
const [stateFolder, workspace, readOnly, command] = process.argv.slice(2) as [string, string, string, string];
const spec = specFor(workspace);
const second = { name: "ro", hostPath: readOnly, path: "/mnt/ro", access: "ro" } as const;
const backend = createBubblewrapBackend({ stateFolder, runner: async () => ({ source: TINY_RUNNER }) });
const connection = await backend.open({ ...spec, mounts: [...spec.mounts, second] });
const { output } = await talk(connection.stream).run(command);
await connection.close();
process.stdout.write(output);
