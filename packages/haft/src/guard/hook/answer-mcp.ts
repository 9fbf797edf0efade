import { messageOf } from "@haft/core";
import { DECIDE } from "./inside.ts";
import { LARGEST } from "./read-input.ts";

const NO_JSON = -32_700;
const NO_REQUEST = -32_600;
const NO_METHOD = -32_601;
const NO_PARAMS = -32_602;

type Members = Readonly<Record<string, unknown>>;

/** Decides about a payload, as a text of JSON, in the time that a hook has. */
export type DecideInTime = (
  payload: string,
) => Promise<{ answer: { readonly stdout: string; readonly exitCode: number } }>;

/**
 * Serves a client's hooks over MCP on standard input and output, until the client closes its end: each call of its one tool is a payload
 * as the line of a hook would get it, and its text what that would say. What fails is an error, which clients that were told so take
 * for a denial; an empty text, which they do not, is never said.
 */
export async function answerMcp(decide: DecideInTime): Promise<void> {
  let rest = "";
  const running = new Set<Promise<void>>();
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin as AsyncIterable<string>) {
    rest += chunk;
    if (rest.length > LARGEST) throw new Error(`a message is larger than ${LARGEST / 1024 / 1024} MB`);
    // A long one comes in many pieces, and is not looked through for each.
    if (!chunk.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const text of lines) {
      if (text.trim() === "") continue;
      const answered = answerMessage(text, decide).finally(() => running.delete(answered));
      running.add(answered);
    }
  }
  // A client can close its end before it reads the last answers.
  await Promise.all(running);
}

async function answerMessage(text: string, decide: DecideInTime): Promise<void> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return send(null, errorOf(NO_JSON, "This line is no message of JSON-RPC 2.0."));
  }
  const given = isObject(message) ? message : { id: null };
  const { id, method, params = {} } = given;
  // A notification, or an answer to what nobody asked.
  if (id === undefined || "result" in given || "error" in given) return;
  if (typeof id !== "string" && typeof id !== "number")
    return send(
      null,
      errorOf(NO_REQUEST, "This line is no request: it has no id that is a text or a number."),
    );
  if (typeof method !== "string")
    return send(id, errorOf(NO_REQUEST, "This is no request: its method is no text."));
  if (!isObject(params)) return send(id, errorOf(NO_PARAMS, `The params of ${method} are no object.`));
  switch (method) {
    case "initialize": {
      const { protocolVersion: asked } = params;
      const protocolVersion = typeof asked === "string" ? asked : "2025-06-18";
      const serverInfo = { name: "haft-guard", version: "0.0.0" };
      return send(id, { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    case "ping":
      return send(id, { result: {} });
    case "tools/list":
      return send(id, { result: { tools: [] } });
    case "tools/call":
      return send(id, { result: await decided(params, decide) });
    default:
      return send(id, errorOf(NO_METHOD, `There is no ${method}.`));
  }
}

async function decided({ name, arguments: given = {} }: Members, decide: DecideInTime): Promise<object> {
  try {
    if (name !== DECIDE) throw new Error(`there is no tool ${JSON.stringify(name)}`);
    if (!isObject(given)) throw new Error("the arguments are no object");
    const { answer } = await decide(payloadOf(given));
    // What was let through is an object without an opinion.
    return told(answer.stdout.trim() || "{}", answer.exitCode !== 0 && answer.stdout.trim() === "");
  } catch (thrown) {
    return told(`Haft denies this call: ${messageOf(thrown)}.`, true);
  }
}

/** What a client has put into the fields: those that it has nothing for are empty, and arguments are JSON as a text. */
function payloadOf(given: Members): string {
  const fields = Object.entries(given).filter(([, value]) => value !== "");
  return JSON.stringify({
    ...Object.fromEntries(fields),
    tool_input: typeof given["tool_input"] === "string" ? JSON.parse(given["tool_input"]) : undefined,
  });
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function errorOf(code: number, message: string): object {
  return { error: { code, message } };
}

function told(text: string, isError: boolean): object {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

function send(id: number | string | null, what: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...what })}\n`);
}
