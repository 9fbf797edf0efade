import { toLangChain } from "@haft/adapters/langchain";
import { fakeModel } from "@langchain/core/testing";
import { createHost } from "haft";
// A host with LangChain: npx tsx --conditions=@haft/source examples/08-langchain-host.ts
import { AIMessage, createAgent, tool, ToolMessage } from "langchain";
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));

// In place of a model: it writes two lines at once, tries to leave the workspace, and says that it is done.
const model = fakeModel()
  .respondWithTools([
    { id: "1", name: "write", args: { path: "notes.txt", content: "Tea is ready.\n" } },
    { id: "2", name: "read", args: { path: "notes.txt" } },
  ])
  .respondWithTools([{ id: "3", name: "read", args: { path: "/etc/passwd" } }])
  .respond(new AIMessage("Noted."));

// The glue, with the imports of Haft and LangChain: a host, a session, and its tools in the SDK's words.
// glue {
const host = await createHost({ workspaceDir, stateDir: false });
const session = await host.openSession({ kind: "main" });
const { tools } = toLangChain(session, { tool, ToolMessage });
const { messages } = await createAgent({ model, tools }).invoke({ messages: "Note that tea is ready." });
await host.close();
// } glue

assert.equal(messages.at(-1)?.content, "Noted.");
assert.equal(await readFile(join(workspaceDir, "notes.txt"), "utf8"), "Tea is ready.\n");

// Calls of one message keep their order where one of them changes something, and each has its answer.
const answers = messages.filter((message) => ToolMessage.isInstance(message));
assert.deepEqual(
  answers.map(({ tool_call_id: id, status }) => [id, status]),
  [
    ["1", "success"],
    ["2", "success"],
    ["3", "error"],
  ],
);
assert.match(answers[1]?.text ?? "", /Tea is ready/);
assert.match(answers[2]?.text ?? "", /outside/);

await rm(workspaceDir, { recursive: true });
