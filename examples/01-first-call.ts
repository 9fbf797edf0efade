import { formatToolResult } from "@haft/core";
import { createHost } from "haft";
// A host, a session, one call: npx tsx --conditions=@haft/source examples/01-first-call.ts
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(workspaceDir, "greeting.txt"), "hello\n");

const host = await createHost({ workspaceDir, stateDir: false });
const session = await host.openSession({ kind: "main" });

// What a provider sends: a name, an id, and arguments as JSON text, under whatever alias the model likes.
const outcome = await session.call({ id: "call_1", name: "read", arguments: '{"file_path":"greeting.txt"}' });
assert.equal(outcome.kind, "ok");
assert.equal(formatToolResult(outcome, "plain"), "hello");

// The ledger knows every call.
assert.deepEqual(
  session.ledger().map(({ toolCallId, status, receipt }) => ({ toolCallId, status, receipt })),
  [{ toolCallId: "call_1", status: "completed", receipt: "none" }],
);

await host.close();
await rm(workspaceDir, { recursive: true });
