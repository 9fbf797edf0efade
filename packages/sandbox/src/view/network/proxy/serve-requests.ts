import { type IncomingMessage, request as requestOf, type Server, type ServerResponse } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { answer, answerAndEnd, answerFor, MALFORMED, TOO_MANY, unreachable } from "./answers.ts";
import { headersToPass } from "./headers-to-pass.ts";
import type { ProxyLimits } from "./limits.ts";
import { type Connect, inTime } from "./outward.ts";
import { type Judge, permit, type Permit } from "./permit.ts";
import type { Refusal } from "./refusal.ts";
import { hostHeader, readAbsolute, readAuthority, type Target } from "./target.ts";

export interface Serving {
  judge: Judge;
  limits: ProxyLimits;
  onRefused: (refusal: Refusal) => void;
  connect: Connect;
}

/** Answers what comes in at a server: each request is asked about by itself, also when a connection carries several. */
export function serveRequests(server: Server, { judge, limits, onRefused, connect }: Serving): void {
  let busy = 0;
  server.on("connect", (request, client, head) => {
    // Of a socket that Node has let go of.
    client.on("error", () => {});
    if (isOneTooMany(client)) answerAndEnd(client, TOO_MANY);
    else void tunnel(request.url ?? "", client, head);
  });
  server.on("request", (request, response) => {
    if (isOneTooMany(response)) answer(response, TOO_MANY);
    else void pass(request, response);
  });

  /** Also several requests in one connection lead to several outside. */
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
    const fail = (error: Error): void => answerAndEnd(client, unreachable(target, error));
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
    if (target === undefined) return answer(response, MALFORMED);
    const permitted = await ask(target);
    if (response.destroyed) return;
    if (!("addresses" in permitted)) return answer(response, answerFor(target, permitted));
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
      else answer(response, unreachable(target, error));
    });
    onward.once("response", (answered) => {
      try {
        response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headersToPass(answered));
        pipeline(answered, response, () => {});
      } catch (thrown) {
        // Node reads some heads that it does not write.
        onward.destroy(thrown as Error);
      }
    });
    pipeline(request, onward, () => {});
  }
}
