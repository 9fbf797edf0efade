import { HaftError } from "@haft/core";
import type { Network } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import type { FetchLike, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import type { McpAddress } from "../server.ts";
import { cleanResponse } from "./clean-message.ts";
import { createNotRunError } from "./not-run-error.ts";

/** Bytes of a response or of an event stream. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Bytes searched in an error response. */
const MAX_ERROR_BYTES = 64 * 1024;
const WITHOUT_BODY = new Set([204, 205, 304]);
const TRANSPORT_HEADERS =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|expect|content-length|accept-encoding)$/;

interface HttpTransportOptions {
  name: string;
  address: McpAddress;
  network: Network;
  auth?: OAuthClientProvider | undefined;
  events: HttpEvents;
}

export interface HttpEvents {
  lost: (error: HaftError) => void;
  /** The request with this id was certainly not processed. */
  refused: (error: HaftError, id: number | string) => void;
  /** Another server may answer now. */
  streamEnded: () => void;
}

const NO_EVENTS: HttpEvents = { lost() {}, refused() {}, streamEnded() {} };

export async function httpTransport({
  name,
  address,
  network,
  auth,
  events,
}: HttpTransportOptions): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { url, headers } = address;
  return new StreamableHTTPClientTransport(
    new URL(url),
    withoutUndefined({
      fetch: createNetworkFetch(network, name, events),
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

/** Implements the part of `fetch` that the SDK needs. It follows no redirect: a token is for one server. */
export function createNetworkFetch(
  network: Network,
  name: string,
  events: HttpEvents = NO_EVENTS,
): FetchLike {
  return async (input, init = {}) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    const signal = init.signal ?? request.signal;
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const made = requestIn(body);
    const answer = await network
      .request({
        url: request.url.replace(/#.*$/s, ""),
        method: request.method,
        headers: [...request.headers].filter(([key]) => !TRANSPORT_HEADERS.test(key)),
        ...(body !== undefined && { body }),
        signal,
      })
      .catch((thrown: unknown) => {
        const isUnsent = HaftError.is(thrown) && thrown.code === "FETCH_FAILED" && thrown.receipt === "none";
        if (isUnsent && made?.method === "tools/call")
          events.refused(
            createNotRunError(name, `was not reached (${thrown.message.replace(/\.$/, "")})`, thrown),
            made.id,
          );
        throw thrown;
      });
    const { status, statusText } = answer;
    if (status < 200 || status > 599)
      throw mcpError(
        "MCP_SERVER_UNAVAILABLE",
        `The server ${name} answered with the invalid status ${status}.`,
      );
    const headers = new Headers();
    for (const [key, value] of answer.headers) {
      try {
        headers.append(key, value);
      } catch {
        // Node accepts some invalid headers.
      }
    }
    const isEmpty = answer.body === undefined || WITHOUT_BODY.has(status);
    if (isEmpty) void answer.body?.[Symbol.asyncIterator]().return?.();
    const isOfChanges = request.method === "GET" && status === 200;
    let parts = isEmpty ? undefined : answer.body;
    if (made !== undefined && request.headers.has("mcp-session-id") && (status === 404 || status === 400)) {
      const [text, again] = await beginningOf(parts);
      parts = again;
      if (status === 404 || isAboutSession(text))
        events.refused(createNotRunError(name, "no longer knows the session of this connection"), made.id);
    }
    const stream =
      parts === undefined
        ? null
        : cleanResponse(bounded(parts, name, events, isOfChanges), headers.get("content-type") ?? "");
    const shown = /^[\t\x20-\x7e]*$/.test(statusText) ? statusText : "";
    const response = new Response(stream, { status, statusText: shown, headers });
    return Object.defineProperty(response, "url", { value: request.url });
  };
}

function requestIn(body: Uint8Array | undefined): { id: number | string; method: string } | undefined {
  if (body === undefined) return undefined;
  try {
    const { id, method } = JSON.parse(Buffer.from(body).toString()) as { id?: unknown; method?: unknown };
    const isId = typeof id === "number" || typeof id === "string";
    return isId && typeof method === "string" ? { id, method } : undefined;
  } catch {
    return undefined;
  }
}

/** For an unknown session, many servers answer 400 with a message instead of 404. */
function isAboutSession(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" && /session|not initialized/i.test(error.message);
  } catch {
    return false;
  }
}

async function beginningOf(
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<[text: string, again: AsyncIterable<Uint8Array> | undefined]> {
  if (body === undefined) return ["", undefined];
  const parts = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let size = 0;
  while (size < MAX_ERROR_BYTES) {
    const { done, value } = await parts.next();
    if (done === true) break;
    read.push(value);
    size += value.length;
  }
  const again = async function* () {
    yield* read;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  };
  return [Buffer.concat(read).toString(), again()];
}

function bounded(
  body: AsyncIterable<Uint8Array>,
  name: string,
  { lost, streamEnded }: HttpEvents,
  isOfChanges: boolean,
): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next().catch((thrown: unknown) => {
          if (isOfChanges) streamEnded();
          throw thrown;
        });
        if (done === true) {
          if (isOfChanges) streamEnded();
          return controller.close();
        }
        size += value.length;
        if (size <= MAX_RESPONSE_BYTES) return controller.enqueue(value);
        const error = mcpError(
          "MCP_ANSWER_TOO_LARGE",
          `An answer of the server ${name} exceeds ${MAX_RESPONSE_BYTES} bytes.`,
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
