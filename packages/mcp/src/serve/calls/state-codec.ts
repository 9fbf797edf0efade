import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import { randomBytes } from "node:crypto";

/** Seconds for which a client may bring the answer to what it was asked. */
const STATE_SECONDS = 30 * 60;

/** In a file of its own, since it is loaded later than the rest of the library. */
export function createStates<State>(): RequestStateCodec<State> {
  return createRequestStateCodec<State>({ key: randomBytes(32), ttlSeconds: STATE_SECONDS });
}
