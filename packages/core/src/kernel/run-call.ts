import type { ToolOutcome } from "../contract/result.ts";
import type { CallOptions, CallRequest } from "./call-options.ts";
import { type AdmittedCall, Call } from "./call.ts";
import type { runPipeline as RunPipeline } from "./pipeline.ts";
import type { SessionState } from "./session-state.ts";
import { admit } from "./stages/admit.ts";

let runPipeline: typeof RunPipeline | undefined;

export function runCall(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  // A repeated call from before a resume must not need a second approval.
  const { continued } = session;
  return continued === undefined
    ? admitAndRun(session, request, options)
    : continued.then(() => admitAndRun(session, request, options));
}

function admitAndRun(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  const call = admit(session, request, options);
  if (!(call instanceof Call)) return Promise.resolve(call);
  return runPipeline === undefined ? loadAndRunPipeline(call) : runPipeline(call);
}

async function loadAndRunPipeline(call: AdmittedCall): Promise<ToolOutcome> {
  ({ runPipeline } = await import("./pipeline.ts"));
  return runPipeline(call);
}
