import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How it refuses a session that it does not know. */
export interface Refusal {
  status: number;
  message: string;
  /** The answer has the id of the request, as some servers do it. */
  withId?: boolean;
}

/** A server of the revision of 2025 with sessions, at an address of this machine, which forgets, restarts and fails as it is told. */
export async function forgetfulServer({
  refusal = { status: 404, message: "Session not found" },
  streams = false,
}: { refusal?: Refusal; streams?: boolean } = {}) {
  const sessions = new Set<string>();
  /** What was carried out. */
  const ran: string[] = [];
  const begun: string[] = [];
  /** Streams by which it would tell of changes. */
  const open = new Set<ServerResponse>();
  const state = { description: "Says it again.", fail: [] as number[], forgetsAlways: false };
  let server: Server | undefined;
  let port = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const session = request.headers["mcp-session-id"] as string | undefined;
    if (request.method === "GET" && streams && session !== undefined && sessions.has(session)) {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      open.add(response);
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { id, method, params = {} } = JSON.parse(body);
    const send = (status: number, message: object, headers = {}) =>
      void response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
    if (method === "initialize") {
      const made = randomUUID();
      sessions.add(made);
      begun.push(made);
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "forgetful", version: "1" },
      };
      return send(200, { result }, { "mcp-session-id": made });
    }
    if (session === undefined || !sessions.has(session) || (state.forgetsAlways && method === "tools/call")) {
      const error = { code: -32_001, message: refusal.message };
      return send(refusal.status, refusal.withId === true ? { error } : { error, id: null });
    }
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/list") return send(200, { result: { tools: toolsOf(state.description) } });
    if (method !== "tools/call") return send(200, { error: { code: -32_601, message: "Method not found" } });
    const status = state.fail.shift();
    if (status !== undefined) return void response.writeHead(status).end("a gateway's page");
    ran.push(`${params.name} ${params.arguments?.text ?? ""}`);
    if (params.name === "die") return void response.destroy();
    send(200, {
      result: { content: [{ type: "text", text: `${params.arguments?.text} in ${begun.length}` }] },
    });
  };
  const start = async () => {
    server = createServer(
      (request, response) => void answer(request, response).catch(() => response.destroy()),
    );
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  };
  const stop = async () => {
    server?.close();
    server?.closeAllConnections();
    open.clear();
    if (server !== undefined && server.listening) await once(server, "close");
  };
  await start();
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    ran,
    begun,
    state,
    open,
    start,
    stop,
    forget: () => sessions.clear(),
  };
}

function toolsOf(description: string): object[] {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return [
    { name: "echo", description, inputSchema },
    { name: "die", description: "Breaks off.", inputSchema },
  ];
}
