import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatRequest, Script } from "./chat.ts";
import { chunks, completionOf, wholeBody } from "./completion.ts";

/** A chat completions endpoint whose models are functions. */
export interface ScriptedEndpoint extends AsyncDisposable {
  /** Ends in `/v1`, as clients expect it. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Bytes a request may have; a conversation of the demo has a few thousand. */
const MAX_BODY = 16 * 1024 * 1024;

/**
 * Serves `scripts` by model name on a free port of 127.0.0.1: `POST /v1/chat/completions`, whole
 * or as server-sent events, and `GET /v1/models`. Anything else gets an error in OpenAI's shape.
 */
export async function startScriptedEndpoint(
  scripts: Readonly<Record<string, Script>>,
): Promise<ScriptedEndpoint> {
  const counts = { call: 0, chatcmpl: 0 };
  const nextId = (kind: keyof typeof counts) => `${kind}_${++counts[kind]}`;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "GET" && path === "/v1/models") {
      const data = Object.keys(scripts).map((id) => ({
        id,
        object: "model",
        created: 0,
        owned_by: "script",
      }));
      return sendJson(response, 200, { object: "list", data });
    }
    if (request.method !== "POST" || path !== "/v1/chat/completions") {
      throw new RequestError(404, "not_found", `There is no ${request.method} ${path} here.`);
    }
    const chat = readChatRequest(await readBody(request));
    const script = Object.hasOwn(scripts, chat.model) ? scripts[chat.model] : undefined;
    if (!script) {
      const known = Object.keys(scripts).join(", ");
      throw new RequestError(
        404,
        "model_not_found",
        `There is no model "${chat.model}"; there are: ${known}.`,
      );
    }
    const completion = completionOf(chat, await script(chat), nextId);
    if (chat.stream !== true) return sendJson(response, 200, wholeBody(completion, chat));
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    });
    for (const chunk of chunks(completion, chat)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => sendError(response, thrown));
  });
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
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close, [Symbol.asyncDispose]: close };
}

class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) throw new RequestError(413, "request_too_large", `More than ${MAX_BODY} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function readChatRequest(body: string): ChatRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new RequestError(400, "invalid_json", "The body is not JSON.");
  }
  const { model, messages } = (value ?? {}) as Partial<ChatRequest>;
  if (typeof model !== "string" || !Array.isArray(messages)) {
    throw new RequestError(400, "invalid_request", 'The body needs "model" (text) and "messages" (a list).');
  }
  return value as ChatRequest;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, thrown: unknown): void {
  // Half an answer cannot be taken back; a broken connection tells the client so.
  if (response.headersSent) return void response.destroy();
  const known = thrown instanceof RequestError;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  sendJson(response, known ? thrown.status : 500, {
    error: {
      message,
      type: known ? "invalid_request_error" : "script_error",
      code: known ? thrown.code : null,
    },
  });
}
