import { createCodingTools } from "@earendil-works/pi-coding-agent";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { tool as agentsTool } from "@openai/agents";
import { jsonSchema, tool } from "ai";
import { z } from "zod";
import { heapInUse, schema } from "../work/calls.ts";

const REGISTERED = 1000;
const OPEN_SESSIONS = 10_000;
const SMALL_SET = 4;

const zodShape = {
  path: z.string().min(1),
  offset: z.number().int().min(1).optional(),
  limit: z.number().int().min(1).optional(),
  content: z.string().optional(),
};

const description = "Does nothing.";
const execute = async () => "ok";

function aiSdkSet(size) {
  const tools = {};
  for (let i = 0; i < size; i++)
    tools[`tool_${i}`] = tool({ description, inputSchema: jsonSchema(schema), execute });
  return tools;
}

function mcpServer(size) {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (let i = 0; i < size; i++)
    server.registerTool(`tool_${i}`, { description, inputSchema: zodShape }, async () => ({
      content: [{ type: "text", text: "ok" }],
    }));
  return server;
}

const agentsSet = (size) =>
  Array.from({ length: size }, (_, i) =>
    agentsTool({ name: `tool_${i}`, description, parameters: schema, strict: false, execute }),
  );

const registering = (make) => () => ({ operations: REGISTERED, run: () => make(REGISTERED) });

export const aiSdkRegister = registering(aiSdkSet);
export const mcpRegister = registering(mcpServer);
export const openAiAgentsRegister = registering(agentsSet);

/** A set made from the tools of an application, as each conversation needs one. */
function setOf(size) {
  const tools = Object.entries(aiSdkSet(size));
  return { run: () => Object.fromEntries(tools) };
}

export const aiSdkSet10 = () => setOf(10);
export const aiSdkSet100 = () => setOf(100);
export const aiSdkSet1000 = () => setOf(1000);
export const mcpServer10 = () => ({ run: () => mcpServer(10) });
export const mcpServer100 = () => ({ run: () => mcpServer(100) });
export const piTools = () => ({ run: () => createCodingTools(import.meta.dirname) });

const memoryOf = (open) => () => ({
  sample() {
    open();
    const kept = [];
    const before = heapInUse();
    for (let i = 0; i < OPEN_SESSIONS; i++) kept.push(open());
    return { bytes: (heapInUse() - before) / kept.length };
  },
});

export const piMemory = memoryOf(() => createCodingTools(import.meta.dirname));
export const aiSdkMemory = memoryOf(() => aiSdkSet(SMALL_SET));
export const mcpMemory = memoryOf(() => mcpServer(SMALL_SET));
