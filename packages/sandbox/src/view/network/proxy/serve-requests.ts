import type { LookupAddress } from "node:dns";
import { type IncomingMessage, request as requestOf, type Server, type ServerResponse } from "node:http";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { answerClient, answerAndEnd, answerFor, MALFORMED, TOO_MANY, unreachableAnswer } from "./answers.ts";
import { type Judge, permit, type Permit } from "./permit.ts";
import type { ProxyRefusal } from "./refusal.ts";
import { hostHeader, readAbsolute, readAuthority, type Target } from "./target.ts";

export interface Serving {
  judge: Judge;
  limits: ProxyLimits;
  onRefused: (refusal: ProxyRefusal) => void;
  connect: Connect;
}

/** Checks each request, also in a shared connection. */
export function serveRequests(server: Server, { judge, limits, onRefused, connect }: Serving): void {
  let busy = 0;
  server.on("connect", (request, client, head) => {
    client.on("error", () => {});
    if (isOneTooMany(client)) answerAndEnd(client, TOO_MANY);
    else void tunnel(request.url ?? "", client, head);
  });
  server.on("request", (request, response) => {
    if (isOneTooMany(response)) answerClient(response, TOO_MANY);
    else void pass(request, response);
  });

  /** One connection may open several outside. */
  function isOneTooMany(counted: NodeJS.EventEmitter): boolean {
    if (busy >= limits.connections) return true;
    busy++;
    counted.once("close", () => busy--);
    return false;
  }

  async function ask(target: Target): Promise<Permit> {
    const permitted = await permit(target, judge);
    if ("refusal" in permitted) onRefused(permitted.refusal);
    return permitted;
  }

  async function tunnel(url: string, client: Duplex, head: Buffer): Promise<void> {
    const target = readAuthority(url);
    if (target === undefined) return answerAndEnd(client, MALFORMED);
    const permitted = await ask(target);
    if (client.destroyed) return;
    if (!("addresses" in permitted)) return answerAndEnd(client, answerFor(target, permitted));
    const upstream = inTime(connect(permitted.addresses, target.port), limits.connectMs);
    const fail = (error: Error): void => answerAndEnd(client, unreachableAnswer(target, error));
    upstream.once("error", fail);
    const giveUp = (): void => void upstream.destroy();
    client.once("close", giveUp);
    upstream.once("connect", () => {
      upstream.off("error", fail);
      client.off("close", giveUp);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      pipeline(client, upstream, () => {});
      pipeline(upstream, client, () => {});
    });
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = readAbsolute(request.url ?? "");
    if (target === undefined) return answerClient(response, MALFORMED);
    const permitted = await ask(target);
    if (response.destroyed) return;
    if (!("addresses" in permitted)) return answerClient(response, answerFor(target, permitted));
    const { addresses } = permitted;
    const onward = requestOf({
      createConnection: () => inTime(connect(addresses, target.port), limits.connectMs),
      method: request.method,
      path: target.path,
      headers: ["Host", hostHeader(target), ...headersToPass(request), "Connection", "close"],
    });
    response.once("close", () => onward.destroy());
    onward.on("error", (error) => {
      if (response.headersSent) response.destroy();
      else answerClient(response, unreachableAnswer(target, error));
    });
    onward.once("response", (answered) => {
      try {
        response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headersToPass(answered));
        pipeline(answered, response, () => {});
      } catch (thrown) {
        // Node accepts heads that it refuses to write.
        onward.destroy(thrown as Error);
      }
    });
    pipeline(request, onward, () => {});
  }
}

/** Headers of one hop. */
const HOP_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Alternates names and values. Sends the length as Node read it. */
function headersToPass(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? "").split(",").map((one) => one.trim().toLowerCase());
  const passed: string[] = [];
  const { rawHeaders, headers } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (HOP_HEADERS.has(name) || named.includes(name) || name.startsWith("proxy-")) continue;
    passed.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  if (headers["transfer-encoding"] !== undefined) passed.push("Transfer-Encoding", "chunked");
  else if (headers["content-length"] !== undefined) passed.push("Content-Length", headers["content-length"]);
  return passed;
}

export interface ProxyLimits {
  /** Further connections are closed. */
  connections: number;
  headBytes: number;
  /** For a request's head, in milliseconds. */
  headMs: number;
  /** Includes name resolution; milliseconds. */
  connectMs: number;
  /** In both directions, in milliseconds. */
  idleMs: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  connections: 256,
  headBytes: 32 * 1024,
  headMs: 15_000,
  connectMs: 30_000,
  idleMs: 10 * 60_000,
};

/** Tries only these, in order. */
export type Connect = (addresses: readonly string[], port: number) => Socket;

export const connectTo: Connect = (addresses, port) => {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
  return connectSocket({
    // Never resolved.
    host: "checked.invalid",
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_host, options, found) => {
      if (options.all === true) found(null, all);
      else found(null, all[0]!.address, all[0]!.family);
    },
  });
};

function inTime(socket: Socket, ms: number): Socket {
  const late = setTimeout(() => socket.destroy(new Error("it did not answer in time")), ms);
  for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(late));
  return socket;
}
