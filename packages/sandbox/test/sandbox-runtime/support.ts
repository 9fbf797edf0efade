import { createServer } from "node:http";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { createSandboxRuntimeBackend, openSandbox } from "../../src/index.ts";
import { ORDINARY, tempFolder } from "../support.ts";

export const probe = await createSandboxRuntimeBackend().probe();
/** Where tests may be left out, they are without what srt needs. */
export const missing = !probe.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (missing) process.stderr.write(`LEFT OUT, because sandbox-runtime does not work: ${probe.reason}\n`);

export const testInSandbox: typeof test = missing ? (test.skip as typeof test) : test;
export const testAsRoot: typeof test =
  missing || process.getuid?.() !== 0 ? (test.skip as typeof test) : test;

/** Of somebody commands may be: never of root. */
export function createWorkspaceFolder(): string {
  return tempFolder("workspace", ORDINARY);
}

export function createTestBackend() {
  return createSandboxRuntimeBackend({ stateFolder: join(tempFolder("state"), "sandboxes") });
}

/** Opens one, closed after the test, and runs scripts in it. */
export async function openTestSandbox(spec: SandboxSpec, backend = createTestBackend()) {
  const sandbox = await openSandbox(backend, spec);
  onTestFinished(() => sandbox.close());
  const run = async (script: string): Promise<{ output: string; exitCode: number | undefined }> => {
    const { id } = await sandbox.processes.start(crypto.randomUUID(), { script });
    const { exitCode } = await sandbox.processes.wait(id);
    const { chunks } = await sandbox.processes.read(id, 0, { max: 1024 * 1024 });
    return { output: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString(), exitCode };
  };
  return { sandbox, run };
}

export async function startWebServer() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("from the host");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  return { port, received };
}
