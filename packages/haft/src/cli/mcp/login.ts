import { openCredentials, toAcceptedServer } from "@haft/host/internal/mcp";
import { signIn } from "@haft/mcp";
import { createHostNetwork } from "@haft/workspace";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { commandError } from "../../errors.ts";
import { runInterruptible } from "../call/signal-listener.ts";
import { findServer, type McpValues, readMcpContext } from "./mcp-context.ts";

const CALLBACK = "/callback";

export async function loginToServer(values: McpValues, [name = ""]: readonly string[]): Promise<number> {
  const context = await readMcpContext(values);
  const server = toAcceptedServer(findServer(name, context));
  const network = createHostNetwork({
    allowPrivate: [
      ...context.allowPrivate,
      ...("url" in server.reach ? [new URL(server.reach.url).host] : []),
    ],
  });
  return runInterruptible(values.json, async (signal) => {
    const back = await listenForBrowser(signal);
    try {
      const outcome = await signIn(server, {
        network,
        credentials: openCredentials(context.stateDir, context.file)(name),
        redirectUrl: back.redirectUrl,
        visit(address) {
          console.error(`Open this in a browser on this machine, and sign in:\n\n  ${address}\n\nWaiting …`);
          return back.address;
        },
      });
      console.log(
        values.json
          ? JSON.stringify({ name, outcome })
          : outcome === "signed in"
            ? `Signed in to ${name}. The credentials are readable only by you, and Haft renews them.`
            : `Still signed in to ${name}.`,
      );
      return 0;
    } finally {
      back.close();
    }
  });
}

async function listenForBrowser(signal: AbortSignal) {
  const back = Promise.withResolvers<string>();
  // It may have no consumer.
  back.promise.catch(() => {});
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname !== CALLBACK) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end("You are signed in. You can close this window.");
    back.resolve(url.href);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    back.reject(commandError("MCP_UNAVAILABLE", "Signing in was stopped.", { fix: "Start it again." }));
  signal.addEventListener("abort", stop, { once: true });
  return {
    redirectUrl: `http://127.0.0.1:${port}${CALLBACK}`,
    address: back.promise,
    close() {
      signal.removeEventListener("abort", stop);
      server.close();
      server.closeAllConnections();
    },
  };
}
