import type { IncomingMessage } from "node:http";

/** For the next hop alone, and what this hop says anew. */
const OWN = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers of a message that go on, as names and values in turn, and those that say how long its body is: as Node read
 * it, so that two readers cannot disagree.
 */
export function headersToPass(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? "").split(",").map((one) => one.trim().toLowerCase());
  const passed: string[] = [];
  const { rawHeaders, headers } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (OWN.has(name) || named.includes(name) || name.startsWith("proxy-")) continue;
    passed.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  if (headers["transfer-encoding"] !== undefined) passed.push("Transfer-Encoding", "chunked");
  else if (headers["content-length"] !== undefined) passed.push("Content-Length", headers["content-length"]);
  return passed;
}
