import type { HaftError } from "@haft/core";
import { mcpError } from "../../errors.ts";

const known = new WeakSet<HaftError>();

/**
 * A request that its server certainly did not carry out: it was not delivered, or the server refused it unread. Over a new connection
 * it may be made again.
 *
 * @param why ends a sentence that begins with the server
 */
export function createNotRunError(server: string, why: string, cause?: unknown): HaftError {
  const error = mcpError("MCP_SERVER_UNAVAILABLE", `The server ${server} ${why}, so it did nothing.`, {
    cause,
  });
  known.add(error);
  return error;
}

export function canRetry(error: HaftError): boolean {
  return known.has(error);
}
