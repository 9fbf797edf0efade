import { requireKnownOptions } from "@haft/core/internal";
import { getRequestListener } from "@hono/node-server";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspectorError } from "../errors.ts";
import { EventRing } from "../events/event-ring.ts";
import { Tokens } from "../guard/tokens.ts";
import type { InspectorSource } from "../source/inspector-source.ts";
import { inspectorApp } from "./inspector-app.ts";
import { readPage } from "./page-files.ts";

/**
 * Configures an inspector.
 *
 * @example
 * ```ts
 * import type { InspectorOptions } from "@haft/inspector";
 * const behindProxy: InspectorOptions = { act: true, port: 7400, listen: "10.0.0.5", origin: "https://inspect.example" };
 * ```
 */
export interface InspectorOptions {
  /** Adds a URL for deciding. Default false: the URL only lets people read. */
  act?: boolean;
  /** Sets the port. Default: a free one. */
  port?: number;
  /** Sets the listen address. An external address needs `origin`. Default `127.0.0.1`. */
  listen?: string;
  /** Sets the origin of a TLS server in front: `https://inspect.example`. It needs `listen`. */
  origin?: string;
}

/**
 * Describes a running inspector.
 *
 * @example
 * ```ts
 * import type { ServedInspector } from "@haft/inspector";
 * declare const page: ServedInspector;
 * console.log(`To read: ${page.lookUrl}`);
 * ```
 */
export interface ServedInspector {
  /** Contains the role's URL with a token after the `#`, for its user only. */
  readonly url: string;
  /** Contains a URL with a read-only token. */
  readonly lookUrl: string;
  /** Contains the listen address. */
  readonly address: string;
  /** Contains the port. */
  readonly port: number;
  /** Closes the streams and invalidates the tokens. */
  close(): Promise<void>;
}

/** Milliseconds to receive a request. */
const REQUEST_MS = 30_000;
const DEFAULT_ADDRESS = "127.0.0.1";

/**
 * Serves the page of an inspector and its API.
 *
 * @throws HaftError `INVALID_OPTIONS`; `INSPECT_LISTEN` if it cannot listen; `PACKAGE_MISSING` without a
 * built page
 *
 * @example
 * ```ts
 * import { type InspectorSource, serveInspector } from "@haft/inspector";
 * declare const source: InspectorSource;
 * const page = await serveInspector(source, { port: 7400 });
 * console.log(page.url);
 * await page.close();
 * ```
 */
export async function serveInspector(
  source: InspectorSource,
  options: InspectorOptions = {},
): Promise<ServedInspector> {
  requireKnownOptions<InspectorOptions>("serveInspector", options, {
    act: true,
    port: true,
    listen: true,
    origin: true,
  });
  const { act = false, port: wanted = 0, listen = DEFAULT_ADDRESS } = options;
  const origin = checkedOrigin(options);
  const page = readPage();
  const tokens = new Tokens(act);
  const ring = new EventRing(tokens.instance);
  const closing = new AbortController();
  let port = wanted;
  const reachedBy = () => ({ port, ...(origin !== undefined && { origin }) });
  const app = inspectorApp({
    source,
    tokens,
    getServedOrigin: reachedBy,
    ring,
    page,
    closing: closing.signal,
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void answer(request, response));
  server.headersTimeout = REQUEST_MS;
  server.requestTimeout = REQUEST_MS;
  port = await listening(server, listen, wanted);
  const unfollow = source.follow((event) => ring.add(event));
  const base = origin ?? `http://${hostText(listen)}:${port}`;
  return {
    url: `${base}/#${tokens.get("act") ?? tokens.get("look")!}`,
    lookUrl: `${base}/#${tokens.get("look")!}`,
    address: listen,
    port,
    async close() {
      unfollow();
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await source.close();
    },
  };
}

function checkedOrigin({ listen, origin }: InspectorOptions): string | undefined {
  if ((listen === undefined) !== (origin === undefined))
    throw inspectorError(
      "INSPECT_LISTEN",
      listen === undefined
        ? "origin needs a listen address."
        : `The listen address ${listen} needs an origin, the name under which people reach the inspector.`,
    );
  if (origin === undefined) return undefined;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isPlain =
    url !== undefined && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!isPlain || url.protocol !== "https:")
    throw inspectorError(
      "INSPECT_LISTEN",
      `${JSON.stringify(origin)} is not an origin with TLS, so the token would cross the network unencrypted.`,
    );
  return url.origin;
}

async function listening(server: Server, address: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (thrown: NodeJS.ErrnoException) => {
      const why = WHY[thrown.code ?? ""] ?? thrown.message;
      reject(
        inspectorError("INSPECT_LISTEN", `The inspector cannot listen on ${address}:${port}: ${why}.`, {
          cause: thrown,
        }),
      );
    });
    server.listen(port, address, resolve);
  });
  return (server.address() as AddressInfo).port;
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: "this user may not use the port",
  EADDRINUSE: "another program uses the port",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "the name does not exist",
};

function hostText(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
