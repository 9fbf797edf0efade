// The least that a server of MCP over stdio can be: one tool that reads, and one that edits.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = ["read", "edit"].map((name) => ({ name, inputSchema: { type: "object" } }));

function run({ name, arguments: { path, oldText, newText } }) {
  const text = readFileSync(path, "utf8");
  if (name === "read") return text.slice(0, 50_000);
  writeFileSync(path, text.replace(oldText, newText));
  return "done";
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result =
    method === "initialize"
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "bare", version: "1" },
        }
      : method === "tools/list"
        ? { tools }
        : { content: [{ type: "text", text: run(params) }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
