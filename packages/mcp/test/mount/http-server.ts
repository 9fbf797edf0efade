import { randomUUID } from "node:crypto";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What the server is like. */
export interface HttpServerOptions {
  /** Wants a token, and says where one is had: here. */
  asksForToken?: boolean;
  /** Answers as streams of events. */
  streams?: boolean;
  /** How long a token holds, in seconds. */
  expiresIn?: number;
}

/** A server at an address of this machine, written by hand: what libraries refuse to send is wanted here, too. */
export async function httpServer({
  asksForToken = false,
  streams = false,
  expiresIn = 3600,
}: HttpServerOptions = {}) {
  const requests: string[] = [];
  const tokens = new Set<string>();
  const codes = new Map<string, string>();
  let refreshes = 0;
  let isDown = false;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const body = await textOf(request);
    requests.push(`${request.method} ${pathname}`);
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (isDown) return void response.destroy();
    if (pathname === "/.well-known/oauth-protected-resource/mcp")
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname === "/.well-known/oauth-authorization-server")
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register") return json({ ...JSON.parse(body), client_id: "haft-here" }, 201);
    if (pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, searchParams.get("code_challenge") ?? "");
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(body);
      const isRefresh = form.get("grant_type") === "refresh_token";
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (!isRefresh && codes.get(form.get("code") ?? "") !== challenge)
        return json({ error: "invalid_grant" }, 400);
      if (isRefresh && form.get("refresh_token") !== "renew") return json({ error: "invalid_grant" }, 400);
      if (isRefresh) refreshes += 1;
      const token = randomUUID();
      tokens.add(token);
      return json({
        access_token: token,
        token_type: "Bearer",
        expires_in: expiresIn,
        refresh_token: "renew",
      });
    }
    if (pathname !== "/mcp") return json({ error: "not found" }, 404);
    if (asksForToken && !tokens.has((request.headers.authorization ?? "").replace(/^Bearer /, ""))) {
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` });
      return void response.end();
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(body);
    const reply = (message: object) => {
      const whole = JSON.stringify({ jsonrpc: "2.0", id, ...message });
      if (!streams) return json(JSON.parse(whole));
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`event: message\ndata: ${whole}\n\n`);
    };
    const text = (value: string) => reply({ result: { content: [{ type: "text", text: value }] } });
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize")
      return reply({
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "2" },
        },
      });
    if (method === "tools/list") return reply({ result: { tools: TOOLS } });
    if (method !== "tools/call") return reply({ error: { code: -32_601, message: "Method not found" } });
    switch (params.name) {
      case "drop":
        return void response.destroy();
      case "half":
        response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
        response.write(streams ? "event: message\n" : '{"jsonrpc":');
        return void setTimeout(() => response.destroy(), 20);
      case "silent":
        return void response.writeHead(200, { "content-type": "text/event-stream" }).end();
      case "big":
        return text("x".repeat(20 * 1024 * 1024));
      case "away":
        return void response.writeHead(307, { location: "http://elsewhere.example/mcp" }).end();
      case "page":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
      case "headers":
        return text(JSON.stringify(request.headers));
      default:
        return text(String(params.arguments?.text ?? ""));
    }
  }

  return {
    origin,
    url: `${origin}/mcp`,
    requests,
    forgetTokens: () => tokens.clear(),
    refreshes: () => refreshes,
    goDown: (down: boolean) => void (isDown = down),
  };
}

const TOOLS = ["echo", "drop", "half", "silent", "big", "away", "page", "headers"].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
}));

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
