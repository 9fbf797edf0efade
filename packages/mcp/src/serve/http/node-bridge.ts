import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** A request of Node as the web has it. It aborts when whoever sent it goes away. */
export function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" } : {}),
  });
}

/** Sends a response of the web. Resolves when all of it is sent, or nobody waits for it any more. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  const reader = response.body.getReader();
  closed.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || closed.signal.aborted) break;
      if (!outgoing.write(value)) await once(outgoing, "drain", { signal: closed.signal });
    }
  } catch {
    // Whoever waited for it is gone.
  }
  outgoing.end();
}
