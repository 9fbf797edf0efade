import { lazy } from "@haft/utils";
import type { RequestStateCodec } from "@modelcontextprotocol/server";

export interface CallState {
  readonly call: string;
  /** What was asked: how often its tool had asked before. */
  readonly round?: number;
  /** Or whether it may run. */
  readonly approvalId?: string;
}

/** Made by whoever serves, once for all that it serves: a state that is not of its own is refused. */
export type CallStates = RequestStateCodec<CallState>;

/** What makes them is loaded and made when the first call has to be asked about. */
export function createCallStates(): CallStates {
  const states = lazy(async () => (await import("./state-codec.ts")).createStates<CallState>());
  return {
    mint: async (payload, context) => (await states()).mint(payload, context),
    verify: async (state, context) => (await states()).verify(state, context),
  };
}
