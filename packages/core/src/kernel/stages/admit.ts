import type { HaftError } from "../../contract/errors.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import { coreError } from "../../errors.ts";
import { type CallOptions, type CallRequest, problemOfOptions } from "../call-options.ts";
import { type AdmittedCall, Call } from "../call.ts";
import { failed } from "../outcome.ts";
import type { SessionState } from "../session-state.ts";
import { ownRequest } from "./own-request.ts";

const MAX_ID_LENGTH = 256;
/** Calls of tools by tools, one inside the other. */
const MAX_NESTING = 16;

/** Gives the call its id and its place in the ledger, or says why it cannot have one. */
export function admit(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): AdmittedCall | ToolOutcome {
  const owned = ownRequest(request, (name) => {
    const resolution = session.view.resolve(name);
    return resolution.found === "visible" ? resolution.tool.tool.maxArgumentCharacters : undefined;
  });
  const id = owned.id || session.nextCallId();
  const call = new Call(session, id, owned, options);
  if (session.closed) return failed(call, sessionClosed(session.key));
  if (id.length > MAX_ID_LENGTH) return failed(call, badId(id));
  if (session.ledger.get(id)) return failed(call, usedId(id));
  const { parentCallId } = options;
  if (parentCallId !== undefined) call.nesting = (session.running.find(parentCallId)?.nesting ?? 0) + 1;
  const entry = session.ledger.append(id, owned.name, owned.arguments, owned.weight, parentCallId);
  const admitted = call.admitted(entry);
  session.running.join(admitted);
  admitted.refusal =
    owned.problem ?? problemOfOptions(options) ?? (call.nesting > MAX_NESTING ? tooDeep() : undefined);
  return admitted;
}

function sessionClosed(key: string): HaftError {
  return coreError("SESSION_CLOSED", `The session ${key} is closed.`);
}

function badId(id: string): HaftError {
  const message = `A call id has at most ${MAX_ID_LENGTH} characters, this one ${id.length}.`;
  return coreError("INVALID_CALL_ID", message);
}

function usedId(id: string): HaftError {
  const message = `The call id ${id} was used before in this session; nothing was run.`;
  return coreError("DUPLICATE_CALL_ID", message);
}

function tooDeep(): HaftError {
  return coreError("NESTED_TOO_DEEP", `Tools called each other ${MAX_NESTING} times one inside the other.`, {
    details: { limit: MAX_NESTING },
  });
}
