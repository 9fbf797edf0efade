import { getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { DEFAULT_IDLE_MINUTES } from "../../defaults.ts";
import { mcpError } from "../../errors.ts";
import type { HttpLimits, HttpOptions, Tenant } from "./http-options.ts";
import { releaseSession } from "./idle-sessions.ts";
import { refuse } from "./refuse.ts";
import type { ServedTenant } from "./served-tenant.ts";

const PATH = "/mcp";
const MINUTE_MS = 60_000;
/** Parallel connections of all tokens. */
const MAX_CONNECTIONS = 1_024;

/**
 * Controls a running HTTP server.
 *
 * @example
 * ```ts
 * import type { ServedHttp } from "@haft/mcp";
 * declare const served: ServedHttp;
 * process.on("SIGHUP", () => void served.toolsChanged()); // after the rules were read again
 * process.once("SIGTERM", () => void served.close());
 * ```
 */
export interface ServedHttp {
  /** Contains the URL of the endpoint. */
  readonly url: string;
  /** Notifies clients if the tools differ from the announced list. */
  toolsChanged(): Promise<void>;
  /** Stops the server: aborts running calls and closes all sessions. */
  close(): Promise<void>;
}

/**
 * Serves sessions over streamable HTTP in both revisions of MCP. Each session belongs to one token. The
 * header `Mcp-Session-Id` selects it. Clients of the 2026 revision send `Haft-Session` instead, or share one
 * session per client and token.
 *
 * @throws HaftError `MCP_ADDRESS_TAKEN` if the port is in use
 *
 * @example
 * ```ts
 * import { serveHttp, type Tenant } from "@haft/mcp";
 * import { timingSafeEqual } from "node:crypto";
 * declare const tenant: Tenant;
 * const expected = Buffer.from(process.env["TEAM_TOKEN"] ?? "");
 * const isExpected = (token: Buffer) => token.length === expected.length && timingSafeEqual(token, expected);
 * const served = await serveHttp({
 *   resolveTenant: (token = "") => (isExpected(Buffer.from(token)) ? tenant : undefined),
 * });
 * console.log(`listening at ${served.url}`);
 * ```
 */
export async function serveHttp(options: HttpOptions): Promise<ServedHttp> {
  requireKnownOptions<HttpOptions>("serveHttp", options, {
    address: true,
    port: true,
    hosts: true,
    limits: true,
    onProblem: true,
    resolveTenant: true,
  });
  const { address = "127.0.0.1", port = 0, limits = {}, onProblem = () => {} } = options;
  requireKnownOptions<HttpLimits>("serveHttp: limits", limits, {
    sessions: true,
    idleMinutes: true,
    bodyBytes: true,
  });
  const { createOriginCheck, ServedTenant: Served } = await import("./served-tenant.ts");
  const refusalOf = createOriginCheck(options.hosts ?? []);
  const tenants = new Map<Tenant, ServedTenant>();
  const servedOf = (tenant: Tenant) => {
    const known = tenants.get(tenant) ?? new Served(tenant, limits, onProblem);
    tenants.set(tenant, known);
    return known;
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = webRequest(incoming, outgoing);
    const foreign = refusalOf(request);
    if (foreign !== undefined) return sendResponse(foreign, outgoing);
    if (new URL(request.url).pathname !== PATH)
      return sendResponse(refuse(404, `The MCP endpoint is ${PATH}.`), outgoing);
    const tenant = options.resolveTenant(bearerOf(request));
    if (tenant === undefined) return sendResponse(unauthorized(), outgoing);
    const { response, session } = await servedOf(tenant).answer(request);
    try {
      await sendResponse(response, outgoing);
    } finally {
      if (session !== undefined) releaseSession(session);
    }
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((thrown: unknown) => {
      onProblem(getErrorMessage(thrown));
      if (!outgoing.headersSent)
        void sendResponse(refuse(500, "The request could not be answered."), outgoing);
      else outgoing.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, address, port);
  const idleMs = (limits.idleMinutes ?? DEFAULT_IDLE_MINUTES) * MINUTE_MS;
  const sweep = setInterval(
    () => {
      for (const served of tenants.values()) void served.closeIdle(performance.now() - idleMs);
    },
    Math.min(idleMs, MINUTE_MS),
  );
  sweep.unref();
  const { port: listened } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${listened}${PATH}`,
    async toolsChanged() {
      await Promise.all([...tenants.values()].map((served) => served.refreshTools()));
    },
    async close() {
      clearInterval(sweep);
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([...tenants.values()].map((served) => served.close()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: ReturnType<typeof createServer>, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (thrown) => {
      const message = `${address}:${port} is not available for listening: ${thrown.message}.`;
      reject(mcpError("MCP_ADDRESS_TAKEN", message));
    });
    server.listen(port, address, resolve);
  });
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function unauthorized(): Response {
  const message = "This endpoint requires a valid token: `Authorization: Bearer TOKEN`.";
  return refuse(401, message, { headers: { "www-authenticate": 'Bearer realm="haft"' } });
}

function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const disconnected = new AbortController();
  outgoing.once("close", () => disconnected.abort());
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal: disconnected.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" } : {}),
  });
}

async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  const reader = response.body.getReader();
  closed.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || closed.signal.aborted) break;
      if (!outgoing.write(value)) await once(outgoing, "drain", { signal: closed.signal });
    }
  } catch {
    // The client has disconnected.
  }
  outgoing.end();
}
