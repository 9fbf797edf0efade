import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicMessages } from "./anthropic-messages.ts";
import { type Answer, type Dialect, isObject, type Json } from "./dialect.ts";
import { geminiGenerateContent } from "./gemini-generate-content.ts";
import { openAIChat } from "./openai-chat.ts";
import { openAIResponses } from "./openai-responses.ts";
import type { Fault, ModelRequest, Script, Turn } from "./script.ts";

/** Serves a local scripted model by four providers' APIs. */
export interface ScriptedModel extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. OpenAI and Anthropic use `/v1`, Gemini `/v1beta`. */
  readonly url: string;
  /** Readable requests in order. */
  readonly requests: readonly ModelRequest[];
  /** Unknown or unreadable requests: `GET /v1/nothing`. */
  readonly strays: readonly string[];
  close(): Promise<void>;
}

/** Bytes of a request. */
const MAX_BODY = 64 * 1024 * 1024;

const DIALECTS: readonly Dialect[] = [openAIChat, openAIResponses, anthropicMessages, geminiGenerateContent];

/** Starts a model on a free port of 127.0.0.1, for any model name and key. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const strays: string[] = [];
  let count = 0;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const path = url.pathname;
    const listed = incoming.method === "GET" ? modelList(path) : undefined;
    if (listed !== undefined) return sendJson(response, 200, listed);
    const dialect = DIALECTS.find((each) => each.asks(path));
    const body = incoming.method === "POST" ? parse(await readBody(incoming)) : undefined;
    const aside =
      body && DIALECTS.map((each) => each.handleOther?.(path, body)).find((each) => each !== undefined);
    if (aside) return sendJson(response, 200, aside);
    if (dialect === undefined || body === undefined) {
      strays.push(`${incoming.method} ${incoming.url}`);
      return sendJson(
        response,
        404,
        (dialect ?? openAIChat).error(404, `There is no ${incoming.method} ${path} here.`),
      );
    }
    const { headers } = incoming;
    const request: ModelRequest = { dialect: dialect.name, ...dialect.read(body, url), body, path, headers };
    requests.push(request);
    let turn: Turn;
    try {
      turn = await script(request);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      // Clients do not retry this error.
      return sendJson(response, 400, dialect.error(400, `The script: ${message}`));
    }
    await send(
      response,
      dialect,
      request,
      turn,
      answerOf(turn, () => ++count),
    );
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) => {
      strays.push(`${incoming.method} ${incoming.url}: ${String(thrown)}`);
      // A broken connection invalidates half an answer.
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { message: String(thrown) } });
    });
  });
  // Clients may wait for a stalled answer.
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, requests, strays, close, [Symbol.asyncDispose]: close };
}

/** Ids are unique per endpoint. */
function answerOf({ text = "", calls = [] }: Turn, next: () => number): Answer {
  return {
    id: `${next()}`,
    text,
    calls: calls.map(({ id, arguments: args, ...call }) => ({
      ...call,
      id: id ?? `call_${next()}`,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    })),
  };
}

async function send(
  response: ServerResponse,
  dialect: Dialect,
  request: ModelRequest,
  { fault }: Turn,
  answer: Answer,
): Promise<void> {
  if (fault?.kind === "status") {
    const { status, message = `Status ${status}.`, headers } = fault;
    return sendJson(response, status, dialect.error(status, message), headers);
  }
  if (!request.stream) {
    const text = JSON.stringify(dialect.formatResponse(answer, request));
    response.writeHead(200, { "content-type": "application/json" });
    if (fault === undefined) return void response.end(text);
    const half = text.length >> 1;
    response.write(text.slice(0, half));
    if (await breaks(response, fault)) return;
    return void response.end(text.slice(half));
  }
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  const brokenAt = fault === undefined ? Number.POSITIVE_INFINITY : (fault.after ?? 1);
  let sent = 0;
  for (const event of dialect.events(answer, request)) {
    if (sent++ === brokenAt && (await breaks(response, fault!))) return;
    response.write(event);
  }
  // A shorter answer breaks at its end.
  if (sent <= brokenAt && fault !== undefined && (await breaks(response, fault))) return;
  response.end();
}

/** Performs a fault; returns whether the answer ends. */
async function breaks(response: ServerResponse, fault: Exclude<Fault, { kind: "status" }>): Promise<boolean> {
  if (fault.kind === "malformed") {
    response.write("data: {not json\n\n");
    return false;
  }
  // Flushes previous output.
  await new Promise((resolve) => void response.write("", resolve));
  if (fault.kind === "cut") {
    response.destroy();
    return true;
  }
  await Promise.race([fault.until ?? new Promise(() => {}), once(response, "close")]);
  return response.destroyed;
}

function modelList(path: string): object | undefined {
  if (path === "/v1/models")
    return {
      object: "list",
      data: [{ id: "scripted", object: "model", type: "model", created: 0, owned_by: "script" }],
    };
  return path === "/v1beta/models" ? { models: [{ name: "models/scripted" }] } : undefined;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) throw new Error(`More than ${MAX_BODY} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
