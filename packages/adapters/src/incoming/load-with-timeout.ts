import { withTimeout } from "@haft/utils";
import { createBridgeError } from "./check-options.ts";

/** Milliseconds for foreign code to register its tools. */
const LIMIT_MS = 10_000;

/**
 * Runs a registration of tools with a time limit.
 *
 * @param what the subject of a sentence
 * @throws `BRIDGE_INVALID` after the limit; errors of `load`
 */
export async function loadWithTimeout(what: string, load: () => unknown): Promise<void> {
  const message = `${what} did not finish registering its tools within ${LIMIT_MS / 1000} s.`;
  const fix = "Its author has to register tools without waiting for anything.";
  await withTimeout(() => load(), LIMIT_MS, { error: () => createBridgeError(message, fix) });
}
