import { messageOf } from "@haft/core";
import { type LoadParts, partsOf, runInTime } from "./answer-hook.ts";
import { readHookLine } from "./hook-line.ts";
import { DECIDE } from "./inside.ts";
import { LARGEST } from "./read-input.ts";
import type { HookLine, HookParts } from "./run-hook.ts";

const NO_METHOD = -32_601;

interface Message {
  id?: number | string;
  method?: string;
  params?: { protocolVersion?: string; name?: string; arguments?: Readonly<Record<string, unknown>> };
}

/**
 * Serves a client's hooks over MCP on standard input and output, until the client closes its end: each call of its one tool is a payload
 * as the line of a hook would get it, and its text what that would say. What fails is an error, which clients that were told so take
 * for a denial; an empty text, which they do not, is never said.
 *
 * @param words those of a hook
 * @throws Error where they are none
 */
export async function answerMcp(words: readonly string[], load: LoadParts): Promise<void> {
  const line = readHookLine(words);
  const parts = partsOf(load);
  let rest = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin as AsyncIterable<string>) {
    rest += chunk;
    if (rest.length > LARGEST) throw new Error(`a message is larger than ${LARGEST / 1024 / 1024} MB`);
    // A long one comes in many pieces, and is not looked through for each.
    if (!chunk.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const text of lines) if (text.trim() !== "") void answerMessage(text, line, parts);
  }
}

async function answerMessage(text: string, line: HookLine, parts: HookParts): Promise<void> {
  let message: Message;
  try {
    message = JSON.parse(text) as Message;
  } catch {
    return send(null, { error: { code: -32_700, message: "This line is no message of JSON-RPC 2.0." } });
  }
  const { id, method = "", params = {} } = message;
  if (id === undefined) return;
  switch (method) {
    case "initialize": {
      const { protocolVersion = "2025-06-18" } = params;
      const serverInfo = { name: "haft-guard", version: "0.0.0" };
      return send(id, { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    case "ping":
      return send(id, { result: {} });
    case "tools/list":
      return send(id, { result: { tools: [] } });
    case "tools/call":
      return send(id, { result: await decided(params, line, parts) });
    default:
      return send(id, { error: { code: NO_METHOD, message: `There is no ${method}.` } });
  }
}

async function decided(
  { name, arguments: given = {} }: NonNullable<Message["params"]>,
  line: HookLine,
  parts: HookParts,
): Promise<object> {
  try {
    if (name !== DECIDE) throw new Error(`there is no tool ${name}`);
    const { answer } = await runInTime(line, async () => payloadOf(given), parts);
    // What was let through is an object without an opinion.
    return told(answer.stdout.trim() || "{}", answer.exitCode !== 0 && answer.stdout.trim() === "");
  } catch (thrown) {
    return told(`Haft denies this call: ${messageOf(thrown)}.`, true);
  }
}

/** What a client has put into the fields: those that it has nothing for are empty, and arguments are JSON as a text. */
function payloadOf(given: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(given).filter(([, value]) => value !== "");
  return JSON.stringify({
    ...Object.fromEntries(fields),
    tool_input: typeof given["tool_input"] === "string" ? JSON.parse(given["tool_input"]) : undefined,
  });
}

function told(text: string, isError: boolean): object {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

function send(id: number | string | null, what: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...what })}\n`);
}
