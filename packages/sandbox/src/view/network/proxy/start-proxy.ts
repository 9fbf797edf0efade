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
  /** Path of the socket it listens on, in a folder that is this user's alone. At most 107 bytes. */
  socket: string;
  /** Is the host on the list? In lower case, without a dot at its end; an address without brackets. */
  allows: (host: string, port: number) => boolean;
  /** Ports at which hosts of the list are reached: 80 and 443 unless named. */
  ports?: readonly number[];
  localAddresses?: readonly string[];
  onRefused?: (refusal: ProxyRefusal) => void;
  offer?: Offer;
  logger?: Logger;
  limits?: Partial<ProxyLimits>;
  /** Names to addresses; the system's own by default. */
  lookup?: (host: string) => Promise<readonly LookupAddress[]>;
  connect?: Connect;
}

export interface Proxy {
  /**
   * Lets a host through from now on, since a person agreed to it: `example.com` at the usual ports, `example.com:8080`, or an
   * address. Nobody was asked about an address that the list allows already, as `*` does: where that is of a local network,
   * nothing changes.
   *
   * @throws HaftError `INVALID_OPTIONS`
   */
  allow: (host: string) => void;
  close: () => Promise<void>;
}

/**
 * An HTTP proxy on a unix socket of the host: tunnels (`CONNECT`) and plain requests. It asks the list, looks the name up
 * here on the host, and connects to the address it looked at; never to the host itself. What is in a tunnel it does not see:
 * a host of the list that passes on what it is sent is a way to elsewhere.
 *
 * @throws HaftError `NETWORK_UNAVAILABLE`
 */
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
    // A body may take as long as something of it arrives.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5000, limits.headMs),
    keepAliveTimeout: 5000,
    // It is not read: the host is the one of the request line.
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
  const message = `${JSON.stringify(text)} is no host that can be let through: it is a name or an address, with or without a port.`;
  return invalidOptions(message, "Name it as example.com, example.com:8080, or by its address.");
}
