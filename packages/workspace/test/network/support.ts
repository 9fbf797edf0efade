import type { NetworkAnswer, NetworkRequest } from "@haft/core/kernel";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createHostNetwork, type HostNetworkOptions } from "../../src/network/host-network.ts";

/** A server on a loopback of this machine, as long as the test runs. */
export async function serve(
  listener: RequestListener,
  host = "127.0.0.1",
): Promise<{ server: Server; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

export function ask(
  url: string,
  options: HostNetworkOptions = {},
  request: Partial<NetworkRequest> = {},
): Promise<NetworkAnswer> {
  const signal = new AbortController().signal;
  return createHostNetwork(options).request({ url, method: "GET", headers: [], signal, ...request });
}

export async function readBody({ body }: NetworkAnswer): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  return Buffer.concat(parts);
}
