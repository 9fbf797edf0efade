import { createSandboxRuntimeBackend } from "../../src/sandbox-runtime/sandbox-runtime-backend.ts";
import { openSandbox } from "../../src/session/open-sandbox.ts";
import { specFor } from "../spec-for.ts";

/** A host of its own: opens a sandbox, runs a script in it, and says its reference and what that had to say. */
const [stateFolder, workspace, script] = process.argv.slice(2) as [string, string, string];
const sandbox = await openSandbox(createSandboxRuntimeBackend({ stateFolder }), specFor(workspace));
const { id } = await sandbox.processes.start("first", { script });
await sandbox.processes.wait(id);
const { chunks } = await sandbox.processes.read(id, 0);
const output = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
process.stdout.write(`${JSON.stringify({ ref: sandbox.ref, output })}\n`);
process.once("SIGTERM", () => void sandbox.close());
