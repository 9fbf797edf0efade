import { getErrorMessage } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import { type OutgoingRequest, readUrl } from "./outgoing-request.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const OF_BODY = ["content-encoding", "content-language", "content-location", "content-type"];
/** Headers for another origin: all others may be secrets of the first. */
const HARMLESS = new Set([
  "accept",
  "accept-language",
  "cache-control",
  "if-modified-since",
  "if-none-match",
  "pragma",
  "range",
  "user-agent",
  ...OF_BODY,
]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

export function followRedirect(
  { url: from, method, headers: sent, body }: OutgoingRequest,
  status: number,
  location: string,
): OutgoingRequest {
  const url = whereTo(location, from);
  if (url.hash === "") url.hash = from.hash;
  const headers = new Headers(sent);
  const becomesGet =
    ((status === 301 || status === 302) && method === "POST") ||
    (status === 303 && method !== "GET" && method !== "HEAD");
  if (becomesGet) for (const name of OF_BODY) headers.delete(name);
  if (url.origin !== from.origin)
    for (const name of sent.keys()) if (!HARMLESS.has(name)) headers.delete(name);
  return becomesGet ? { url, method: "GET", headers, body: undefined } : { url, method, headers, body };
}

function whereTo(location: string, from: URL): URL {
  try {
    return readUrl(asText(location), from);
  } catch (thrown) {
    const message = `${from.origin} redirects to an invalid address: ${getErrorMessage(thrown)}`;
    throw coreError("FETCH_FAILED", message, { cause: thrown });
  }
}

/** Browsers read the bytes of a location header as UTF-8. */
function asText(value: string): string {
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}
