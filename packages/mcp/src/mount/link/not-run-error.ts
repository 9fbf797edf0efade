import type { HaftError } from "@haft/core";
import { mcpError } from "../../errors.ts";

const known = new WeakSet<HaftError>();

/**
 * Creates the error for a request that certainly did not run, so that repeating it is safe.
 *
 * @param why completes a sentence about the server
 */
export function createNotRunError(server: string, why: string, cause?: unknown): HaftError {
  const error = mcpError("MCP_SERVER_UNAVAILABLE", `The server ${server} ${why}, so the call did not run.`, {
    cause,
  });
  known.add(error);
  return error;
}

export function canRetry(error: HaftError): boolean {
  return known.has(error);
}
