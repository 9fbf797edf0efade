import type { RequestStateCodec } from "@modelcontextprotocol/server";

/** What a client brings back with a request that goes on with an earlier one. */
export interface CallState {
  /** Of the call, in the ledger. */
  readonly call: string;
  /** What was asked: how often its tool had asked before. */
  readonly round?: number;
  /** Or whether it may run. */
  readonly approvalId?: string;
}

/** Made by whoever serves, once for all that it serves: a state that is not of its own is refused. */
export type CallStates = RequestStateCodec<CallState>;

/** Those of a codec that is made when the first call has to be asked about. */
export function statesOf(make: () => CallStates): CallStates {
  let made: CallStates | undefined;
  const states = () => (made ??= make());
  return {
    mint: (payload, context) => states().mint(payload, context),
    verify: (state, context) => states().verify(state, context),
  };
}
