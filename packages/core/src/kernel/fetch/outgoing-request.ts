import { normalizeHost } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { coreError } from "../../errors.ts";

export type FetchInit = NonNullable<Parameters<ToolContext["fetch"]>[1]>;

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

const MAX_SENT = 32 * 1024 * 1024;
const MAX_HOST = 253;
/** Tools must not control destination and proxies. Other connection headers are dropped. */
const REFUSED = /^(?:host|upgrade|via|proxy-.*)$/;
const CONNECTION_HEADERS =
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|expect|content-length|accept-encoding|http2-settings)$/;

/** Joins a `Request` and the options beside it, as the standard `fetch` does: an option wins over the request's value. */
export function readInput(input: unknown, init: FetchInit): { address: unknown; init: FetchInit } {
  if (Object.prototype.toString.call(input) !== "[object Request]") return { address: input, init };
  const { url, method, headers, body, signal, redirect } = input as Request;
  const given = Object.entries(init).filter(([, value]) => value !== undefined);
  return {
    address: url,
    init: { method, headers, signal, redirect, ...(body && { body }), ...Object.fromEntries(given) },
  };
}

/** Reads a request with its body, checked like `fetch`. @throws HaftError `FETCH_INVALID`, `BODY_TOO_LARGE` */
export async function readOutgoingRequest(address: unknown, init: FetchInit): Promise<OutgoingRequest> {
  const url = readUrl(address);
  const { maxBytes: _most, timeoutMs: _time, signal: _signal, ...rest } = init;
  checkMethod(url, rest);
  let request: Request;
  try {
    request = new Request(url, { ...rest, duplex: "half", redirect: "manual" });
  } catch (thrown) {
    throw fetchInvalidError(
      `The request to ${url.origin} is invalid: ${(thrown as Error).message.replace(/\.$/, "")}.`,
    );
  }
  const headers = new Headers();
  for (const [name, value] of request.headers) {
    if (REFUSED.test(name)) throw fetchInvalidError(`Tools cannot set the header ${name}.`);
    if (!CONNECTION_HEADERS.test(name)) headers.append(name, value);
  }
  return { url, method: request.method, headers, body: await bodyOf(request) };
}

function checkMethod({ origin }: URL, { method = "GET", body }: { method?: unknown; body?: unknown }): void {
  const named = String(method);
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(named) || /^(?:connect|trace|track)$/i.test(named))
    throw fetchInvalidError(
      `The request to ${origin} is invalid: ${JSON.stringify(named)} is not an allowed method.`,
    );
  if (/^(?:get|head)$/i.test(named) && body !== undefined && body !== null)
    throw fetchInvalidError(
      `The request to ${origin} is invalid: Request with ${named.toUpperCase()} method cannot have a body.`,
    );
}

export function readUrl(input: unknown, from?: URL): URL {
  if (typeof input !== "string" && !(input instanceof URL))
    throw fetchInvalidError(
      `context.fetch takes an address as text or as URL, or a Request, received ${typeof input}.`,
    );
  const text = String(input);
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  const url = URL.parse(text, from?.href);
  if (url === null)
    throw fetchInvalidError(`${shown} is not an address: it has to begin with https:// or http://.`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw fetchInvalidError(
      `${shown} is not an allowed address: ${url.protocol} is neither https: nor http:.`,
    );
  if (url.username !== "" || url.password !== "")
    throw fetchInvalidError(
      `The address of ${url.host} contains a user; use the header Authorization instead.`,
    );
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (normalizeHost(url) === "" || normalizeHost(url).endsWith("."))
    throw fetchInvalidError(`${shown} is not an address: it has no host.`);
  if (normalizeHost(url).length > MAX_HOST)
    throw fetchInvalidError(`${shown} is not an address: its host name is too long.`);
  return url;
}

async function bodyOf(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body) {
    size += part.length;
    if (size > MAX_SENT)
      throw coreError("BODY_TOO_LARGE", `The request body has more than ${MAX_SENT} bytes.`, {
        fix: "Send it in several requests.",
        receipt: "none",
      });
    parts.push(part);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

export function fetchInvalidError(message: string): HaftError {
  return coreError("FETCH_INVALID", message);
}
