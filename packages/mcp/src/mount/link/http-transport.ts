import { type HaftError, withoutUndefined } from "@haft/core";
import type { Network } from "@haft/core/kernel";
import type { FetchLike, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import type { McpAddress } from "../server.ts";
import { loadClient } from "./load-client.ts";

/** Bytes of one answer, and of all that one stream of answers has. */
const MOST_OF_ANSWER = 16 * 1024 * 1024;
/** Answers that have no body, whatever is sent. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** What is about the connection is not passed on. */
const OWN =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|expect|content-length|accept-encoding)$/;

/** What such a transport is made of. */
export interface HttpTransportOptions {
  name: string;
  address: McpAddress;
  network: Network;
  /** Signs in where the server asks for it. */
  auth?: OAuthClientProvider | undefined;
  /** An answer was broken off. */
  lost: (error: HaftError) => void;
}

/** Speaks with a server at an address, by the network it is given and no other. */
export async function httpTransport({
  name,
  address,
  network,
  auth,
  lost,
}: HttpTransportOptions): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await loadClient();
  const { url, headers } = address;
  return new StreamableHTTPClientTransport(
    new URL(url),
    withoutUndefined({
      fetch: fetchOver(network, name, lost),
      authProvider: auth,
      requestInit: headers && { headers: { ...headers } },
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 10_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 5,
      },
    }),
  );
}

/** `fetch` as far as the SDK needs it. Redirects are answered, and not followed: a token is for one server. */
export function fetchOver(
  network: Network,
  name: string,
  lost: (error: HaftError) => void = () => {},
): FetchLike {
  return async (input, init = {}) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    const signal = init.signal ?? request.signal;
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const answer = await network.request({
      url: request.url.replace(/#.*$/s, ""),
      method: request.method,
      headers: [...request.headers].filter(([key]) => !OWN.test(key)),
      ...(body !== undefined && { body }),
      signal,
    });
    const { status, statusText } = answer;
    if (status < 200 || status > 599)
      throw mcpError(
        "MCP_SERVER_UNAVAILABLE",
        `The server ${name} answered with the status ${status}, which means nothing.`,
      );
    const headers = new Headers();
    for (const [key, value] of answer.headers) {
      try {
        headers.append(key, value);
      } catch {
        // Node reads some that nobody may send.
      }
    }
    const isEmpty = answer.body === undefined || WITHOUT_BODY.has(status);
    if (isEmpty) void answer.body?.[Symbol.asyncIterator]().return?.();
    const stream = isEmpty ? null : bounded(answer.body, name, lost);
    const shown = /^[\t\x20-\x7e]*$/.test(statusText) ? statusText : "";
    const response = new Response(stream, { status, statusText: shown, headers });
    return Object.defineProperty(response, "url", { value: request.url });
  };
}

function bounded(
  body: AsyncIterable<Uint8Array>,
  name: string,
  lost: (error: HaftError) => void,
): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done === true) return controller.close();
        size += value.length;
        if (size <= MOST_OF_ANSWER) return controller.enqueue(value);
        const error = mcpError(
          "MCP_ANSWER_TOO_LARGE",
          `An answer of the server ${name} has more than ${MOST_OF_ANSWER} bytes.`,
        );
        await parts.return?.();
        lost(error);
        throw error;
      },
      cancel: async () => void (await parts.return?.()),
    },
    { highWaterMark: 0 },
  );
}
