import { toAISDK } from "@haft/adapters/ai-sdk";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createHost } from "haft";
// A host with the AI SDK: npx tsx --conditions=@haft/source examples/06-ai-sdk-host.ts
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));
const prompt = "Note that tea is ready.";

// In place of a model: it writes a file, tries to leave the workspace, and tells what it was told.
const calls = [
  { toolName: "write", input: '{"path":"notes.txt","content":"Tea is ready.\\n"}' },
  { toolName: "read", input: '{"path":"/etc/passwd"}' },
];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const call = calls[model.doGenerateCalls.length - 1];
    return call === undefined
      ? {
          content: [{ type: "text", text: "Noted." }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        }
      : {
          content: [{ type: "tool-call", toolCallId: call.toolName, ...call }],
          finishReason: { unified: "tool-calls", raw: "tool_calls" },
          usage,
          warnings: [],
        };
  },
});

// The glue, with the imports of Haft: a host, a session, and its tools in the SDK's words.
// glue {
const host = await createHost({ workspaceDir, stateDir: false });
const session = await host.openSession({ kind: "main" });
const { text } = await generateText({ model, prompt, stopWhen: isStepCount(10), ...toAISDK(session) });
await host.close();
// } glue

assert.equal(text, "Noted.");
assert.equal(await readFile(join(workspaceDir, "notes.txt"), "utf8"), "Tea is ready.\n");

// Every call went through the session, which kept what it refused, and the model was told why.
assert.deepEqual(
  session.ledger().map(({ toolName, status }) => [toolName, status]),
  [
    ["write", "completed"],
    ["read", "failed"],
  ],
);
assert.match(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt), /outside/);

await rm(workspaceDir, { recursive: true });
