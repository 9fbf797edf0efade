import { lazy } from "@haft/utils";
import type { RequestStateCodec } from "@modelcontextprotocol/server";

export interface CallState {
  readonly call: string;
  /** For a question: number of earlier rounds of the tool. */
  readonly round?: number;
  readonly approvalId?: string;
}

/** Created once per server, which rejects states of other servers. */
export type CallStates = RequestStateCodec<CallState>;

/** Loads the codec with the first question. */
export function createCallStates(): CallStates {
  const states = lazy(async () => (await import("./state-codec.ts")).createStates<CallState>());
  return {
    mint: async (payload, context) => (await states()).mint(payload, context),
    verify: async (state, context) => (await states()).verify(state, context),
  };
}
