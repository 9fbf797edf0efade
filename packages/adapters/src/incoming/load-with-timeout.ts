import { withTimeout } from "@haft/utils";
import { createBridgeError } from "./check-options.ts";

/** Milliseconds that foreign code has to register its tools. */
const LIMIT_MS = 10_000;

/**
 * Runs what registers tools, and waits for it, but not forever.
 *
 * @param what the subject of a sentence
 * @throws HaftError `BRIDGE_INVALID` when it is late; what it throws
 */
export async function loadWithTimeout(what: string, load: () => unknown): Promise<void> {
  const message = `${what} did not finish registering its tools within ${LIMIT_MS / 1000} s.`;
  const fix = "Its author has to register tools without waiting for anything.";
  await withTimeout(() => load(), LIMIT_MS, { error: () => createBridgeError(message, fix) });
}
