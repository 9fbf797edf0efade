import { lazy } from "@haft/utils";
import type { RequestStateCodec } from "@modelcontextprotocol/server";

export interface CallState {
  readonly call: string;
  /** For a question: number of earlier rounds of the tool. */
  readonly round?: number;
  readonly approvalId?: string;
}

/** One per server, which rejects others' states. */
export type CallStates = RequestStateCodec<CallState>;

export function createCallStates(): CallStates {
  const states = lazy(async () => (await import("./state-codec.ts")).createStates<CallState>());
  return {
    mint: async (payload, context) => (await states()).mint(payload, context),
    verify: async (state, context) => (await states()).verify(state, context),
  };
}
