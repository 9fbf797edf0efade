import { type Logger, invalidOptions } from "@haft/core";
import { canonicalAddress } from "@haft/workspace/internal/network";
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { listenOn } from "../listen-on.ts";
import { answerBroken } from "./answers.ts";
import { isCoveredAddress, type Judge, formatTargetKey } from "./permit.ts";
import { type Offer, offerToAsk, type ProxyRefusal } from "./refusal.ts";
import { type Connect, connectTo, PROXY_LIMITS, type ProxyLimits, serveRequests } from "./serve-requests.ts";
import { readHost } from "./target.ts";

export interface ProxyOptions {
  /** In a private folder; at most 107 bytes. */
  socket: string;
  /** Lower case without a trailing dot; an address has no brackets. */
  allows: (host: string, port: number) => boolean;
  /** Ports of listed hosts. Default: 80 and 443. */
  ports?: readonly number[];
  localAddresses?: readonly string[];
  onRefused?: (refusal: ProxyRefusal) => void;
  offer?: Offer;
  logger?: Logger;
  limits?: Partial<ProxyLimits>;
  /** Resolves names. Default: the system's resolver. */
  lookup?: (host: string) => Promise<readonly LookupAddress[]>;
  connect?: Connect;
}

export interface Proxy {
  /** Allows a host, `host:port` or address, except local addresses that the list covers. @throws HaftError `INVALID_OPTIONS` */
  allow: (host: string) => void;
  close: () => Promise<void>;
}

/** Connects only to checked addresses, never to the host. A listed host can lead to others. @throws HaftError `NETWORK_UNAVAILABLE` */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { socket, onRefused, logger, connect = connectTo } = options;
  const limits = { ...PROXY_LIMITS, ...options.limits };
  const agreed = new Set<string>();
  const listed = new Set(options.localAddresses?.map(canonicalAddress));
  const judge: Judge = {
    allows: options.allows,
    ports: options.ports ?? [80, 443],
    agreed,
    isListedAddress: (address) => listed.has(address),
    lookup: options.lookup ?? ((host) => lookup(host, { all: true })),
    offer: options.offer ?? offerToAsk,
  };
  const server = createServer({
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headMs,
    // Any time while data arrives.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5000, limits.headMs),
    keepAliveTimeout: 5000,
    requireHostHeader: false,
  });
  const open = new Set<Socket>();
  const hold = (one: Socket): void => {
    open.add(one);
    one.setTimeout(limits.idleMs, () => one.destroy());
    one.on("error", () => {});
    one.once("close", () => open.delete(one));
  };
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;
  server.on("connection", hold);
  server.on("clientError", answerBroken);
  serveRequests(server, {
    judge,
    limits,
    onRefused: (refusal) => {
      const { host, port, why } = refusal;
      logger?.debug("A contained command did not reach a host.", { host, port, why });
      onRefused?.(refusal);
    },
    connect: (addresses, port) => {
      const upstream = connect(addresses, port);
      hold(upstream);
      return upstream;
    },
  });
  await listenOn(server, socket);
  return {
    allow: (text) => {
      const found = readHost(text);
      if (found === undefined) throw invalidHost(text);
      const { host, port } = found;
      if (isCoveredAddress(judge, { host, port: port ?? judge.ports[0] ?? 443 })) return;
      agreed.add(port === undefined ? host : formatTargetKey({ host, port }));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const one of open) one.destroy();
      }),
  };
}

function invalidHost(text: string): Error {
  const message = `${JSON.stringify(text)} is not a host that can be allowed. Use a name or an address, with or without a port.`;
  return invalidOptions(message, "Use example.com, example.com:8080, or an address.");
}
