import type { Logger } from "@haft/core";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { Notifier, type NotifierOptions } from "../../../src/approvals/notify/notifier.ts";
import { createMemoryNotices } from "../../../src/host/host-state.ts";

export interface Posted {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server on this machine, and what was sent to it. */
export async function startReceiver(answer?: (request: IncomingMessage, response: ServerResponse) => void) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      posted.push({ method: request.method!, path: request.url!, headers: request.headers, body });
      if (answer === undefined) response.end("ok");
      else answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { posted, url: `http://127.0.0.1:${port}`, port };
}

/** Somebody who tells, what is logged, and what is remembered. */
export function createTestNotifier(targets: NotifierOptions["targets"], more: Partial<NotifierOptions> = {}) {
  const warnings: string[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn: (message) => void warnings.push(message),
    error() {},
  };
  const book = createMemoryNotices();
  const notifier = new Notifier({ targets, notices: () => book, logger, ...more });
  return { notifier, warnings, book };
}
