import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import { randomBytes } from "node:crypto";

const STATE_SECONDS = 30 * 60;

/** A separate file is loaded after the rest of the SDK. */
export function createStates<State>(): RequestStateCodec<State> {
  return createRequestStateCodec<State>({ key: randomBytes(32), ttlSeconds: STATE_SECONDS });
}
