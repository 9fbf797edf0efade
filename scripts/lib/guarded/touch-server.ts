// An MCP server on standard streams, with one tool that writes the file from its arguments.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { SERVER_TOOL } from "./guarded-client.ts";

const [file = ""] = process.argv.slice(2);
const tools = [
  {
    name: SERVER_TOOL,
    description: "Writes a file",
    inputSchema: { type: "object", properties: {} },
    // Some clients otherwise load server tools late.
    _meta: { "anthropic/alwaysLoad": true },
  },
];

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params?: { protocolVersion?: string };
  };
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) })}\n`);
}

function answer(method: string, params: { protocolVersion?: string } = {}): object {
  switch (method) {
    case "initialize": {
      const { protocolVersion = "2025-06-18" } = params;
      const serverInfo = { name: "probe", version: "1" };
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    case "tools/list":
      return { result: { tools } };
    case "tools/call":
      writeFileSync(file, "written\n");
      return { result: { content: [{ type: "text", text: "It is written." }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32601, message: `There is no ${method}.` } };
  }
}
