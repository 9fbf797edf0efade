import { toOpenAIAgents } from "@haft/adapters/openai-agents";
import { Agent, run, setTracingDisabled, Usage, type AgentOutputItem, type Model } from "@openai/agents-core";
import { createHost } from "haft";
// A host with OpenAI Agents: npx tsx --conditions=@haft/source examples/07-openai-agents-host.ts
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Its traces go to a service.
setTracingDisabled(true);
const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(workspaceDir, "door.txt"), "The door code is on the fridge.\n");

// In place of a model: it reads a file, is refused another, and answers with what it was told.
const calls = [
  { name: "read", arguments: '{"path":"door.txt"}' },
  { name: "exec", arguments: '{"command":"rm door.txt"}' },
];
const told: string[] = [];
const model: Model = {
  getResponse: async ({ input }) => {
    told.push(JSON.stringify(input));
    const call = calls[told.length - 1];
    const output: AgentOutputItem[] =
      call === undefined
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "On the fridge." }],
            },
          ]
        : [{ type: "function_call", callId: call.name, status: "completed", ...call }];
    return { usage: new Usage(), output };
  },
  getStreamedResponse: () => {
    throw new Error("This model does not stream.");
  },
};

const policy = { deny: ["exec(command:rm*)"] };

// The glue, with the imports above: a host, a session, and its tools in the SDK's words.
// glue {
const host = await createHost({ workspaceDir, policy, stateDir: false });
const session = await host.openSession({ kind: "main" });
const agent = new Agent({ name: "Butler", model, tools: toOpenAIAgents(session) });
const { finalOutput } = await run(agent, "Where is the door code?");
await host.close();
// } glue

assert.equal(finalOutput, "On the fridge.");
// What it read, and why it may not remove it.
assert.match(told[1] ?? "", /The door code is on the fridge/);
assert.match(told[2] ?? "", /exec\(command:rm\*\)|denied|policy/i);
assert.deepEqual(
  session.ledger().map(({ toolName, status }) => [toolName, status]),
  [
    ["read", "completed"],
    ["exec", "failed"],
  ],
);

await rm(workspaceDir, { recursive: true });
