import type { ToolOutcome } from "../contract/result.ts";
import type { CallOptions, CallRequest } from "./call-options.ts";
import { type AdmittedCall, Call } from "./call.ts";
import type { carryOut as CarryOut } from "./pipeline.ts";
import type { SessionState } from "./session-state.ts";
import { admit } from "./stages/admit.ts";

let carryOut: typeof CarryOut | undefined;

/** Admits a call at once and carries it out. The stages are loaded with the first call, so that importing stays cheap. */
export function runCall(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  // What waited before a resume comes first: the same call made again must not be asked about twice.
  const { continued } = session;
  return continued === undefined
    ? admitAndCarryOut(session, request, options)
    : continued.then(() => admitAndCarryOut(session, request, options));
}

function admitAndCarryOut(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  const call = admit(session, request, options);
  if (!(call instanceof Call)) return Promise.resolve(call);
  return carryOut === undefined ? loadAndCarryOut(call) : carryOut(call);
}

async function loadAndCarryOut(call: AdmittedCall): Promise<ToolOutcome> {
  ({ carryOut } = await import("./pipeline.ts"));
  return carryOut(call);
}
