import { executeTool, safeValidateTypes, asSchema } from "@ai-sdk/provider-utils";
import { runToolCall } from "@earendil-works/pi-agent-core";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { RunContext, tool as agentsTool } from "@openai/agents";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { createArguments, largeText, schema, Supply } from "../work/calls.ts";

const CALLS = 1000;
const LARGE_CALLS = 100;
const STEP = 200;

const smallText = (call) => JSON.stringify(createArguments(call));
const largeArguments = (call) => JSON.parse(largeText(call));

function supplied(size, make, run) {
  const supply = new Supply(size, make);
  return { runs: size, beforeRound: () => supply.refill(), run: () => run(supply.take()) };
}

const zodShape = {
  path: z.string().min(1).describe("File to look at."),
  offset: z.number().int().min(1).optional().describe("First line."),
  limit: z.number().int().min(1).optional().describe("Number of lines."),
  content: z.string().optional().describe("Text to look for."),
};

// pi: the steps of one call, without events

function piCalls(size, make) {
  const look = {
    name: "look",
    label: "look",
    description: "Does nothing.",
    parameters: schema,
    execute: async () => ({ content: [{ type: "text", text: "ok" }], details: undefined }),
  };
  const assistantMessage = { role: "assistant", content: [], stopReason: "toolUse", timestamp: 0 };
  const options = { tools: [look], assistantMessage, context: { messages: [], tools: [look] } };
  let made = 0;
  return supplied(size, make, async (args) => {
    const call = { type: "toolCall", id: `call_${made++}`, name: "look", arguments: args };
    const { isError } = await runToolCall(call, options);
    if (isError) throw new Error("The call failed.");
  });
}

export const pi = () => piCalls(CALLS, createArguments);
export const piLarge = () => piCalls(LARGE_CALLS, largeArguments);

// OpenAI Agents

function agentsInvocation(size, make) {
  const look = agentsTool({
    name: "look",
    description: "Does nothing.",
    parameters: schema,
    strict: false,
    execute: async () => "ok",
  });
  const context = new RunContext();
  return supplied(size, make, (json) => look.invoke(context, json));
}

export const openAiAgents = () => agentsInvocation(CALLS, smallText);
export const openAiAgentsLarge = () => agentsInvocation(LARGE_CALLS, largeText);

// AI SDK

const lookTool = () =>
  tool({
    description: "Does nothing.",
    inputSchema: z.object(zodShape),
    execute: async () => "ok",
  });

function aiSdkBareOf(size, make) {
  const look = lookTool();
  const inputSchema = asSchema(look.inputSchema);
  return supplied(size, make, async (value) => {
    const checked = await safeValidateTypes({ value, schema: inputSchema });
    if (!checked.success) throw checked.error;
    let output;
    const options = { toolCallId: "call", messages: [] };
    for await (const part of executeTool({ tool: look, input: checked.value, options })) output = part;
    return output;
  });
}

export const aiSdkBare = () => aiSdkBareOf(CALLS, createArguments);
export const aiSdkBareLarge = () => aiSdkBareOf(LARGE_CALLS, largeArguments);

function aiSdkStep(size, makeText) {
  const supply = new Supply(size, makeText);
  let made = 0;
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: Array.from({ length: size }, () => ({
        type: "tool-call",
        toolCallId: `call_${made++}`,
        toolName: "look",
        input: supply.take(),
      })),
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage,
      warnings: [],
    }),
  });
  const tools = { look: lookTool() };
  return {
    runs: 1,
    operations: size,
    beforeRound: () => supply.refill(),
    async run() {
      const { toolResults } = await generateText({ model, tools, prompt: "Look.", stopWhen: isStepCount(1) });
      if (toolResults.length !== size) throw new Error(`${toolResults.length} of ${size} calls were made.`);
    },
  };
}

// The mock model has to be given text: parsing it is what a real one costs as well.
export const aiSdk = () => aiSdkStep(STEP, smallText);
export const aiSdkText = aiSdk;
export const aiSdkLarge = () => aiSdkStep(LARGE_CALLS, largeText);
export const aiSdkLargeText = aiSdkLarge;

// MCP SDK

async function mcpCalls(size, make) {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("look", { description: "Does nothing.", inputSchema: zodShape }, async () => ({
    content: [{ type: "text", text: "ok" }],
  }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "bench", version: "1.0.0" });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return supplied(size, make, (args) => client.callTool({ name: "look", arguments: args }));
}

export const mcp = () => mcpCalls(CALLS, createArguments);
export const mcpLarge = () => mcpCalls(LARGE_CALLS, largeArguments);
