import { messageOf } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { type FromEnvironment, hiddenText } from "../../settings/hidden-text.ts";
import { messageFor } from "./message-formats.ts";
import type { Notice } from "./notice-text.ts";
import { type NotifyAddress, problemOfHeader, problemOfUrl } from "./settings.ts";

/**
 * Posts it, and resolves once the answer has begun. What stands in the answer is not read: nobody answers a call that way.
 *
 * @throws Error whose message does not name the address, which may be a secret
 */
export async function tellAddress(
  address: NotifyAddress,
  notice: Notice,
  signal: AbortSignal,
): Promise<void> {
  const url = hiddenText(address.url);
  const problem = problemOfUrl(url);
  if (problem !== undefined) throw new Error(`${problem.slice(0, -1)} (${placeOf(address.url)})`);
  const message = messageFor(address, notice);
  const headers = new Headers(message.headers);
  for (const [name, given] of Object.entries(address.headers ?? {})) {
    const value = hiddenText(given);
    if (problemOfHeader(name, value) !== undefined)
      throw new Error(`the value of the header ${name} is none that can be sent`);
    headers.set(name, value);
  }
  const response = await post(url, { headers, body: message.body, signal });
  // A body that never ends would hold the connection.
  await response.body?.cancel().catch(() => {});
  if (!response.ok) throw new Error(`it answered with HTTP ${response.status}`);
}

async function post(
  url: string,
  options: { headers: Headers; body: string; signal: AbortSignal },
): Promise<Response> {
  try {
    // Who is told elsewhere is for the operator to say, not for a server.
    return await fetch(url, { method: "POST", redirect: "error", ...options });
  } catch (thrown) {
    if (options.signal.aborted) throw new Error("it did not answer in time", { cause: thrown });
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    throw new Error(redactSecrets(messageOf(cause ?? thrown)).replaceAll(url, "[address]"), {
      cause: thrown,
    });
  }
}

function placeOf(given: string | FromEnvironment): string {
  return typeof given === "string" ? "url" : `the variable ${given.env}`;
}
