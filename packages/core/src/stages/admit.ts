import { Call, type CallOptions, type CallRequest } from "../call.ts";
import { HaftError } from "../errors.ts";
import { failed } from "../outcome.ts";
import type { ToolOutcome } from "../result.ts";
import type { SessionState } from "../session-state.ts";

/** Characters all strings of one call's arguments may have together: what a provider could send, with room. */
const MAX_ARGUMENT_CHARACTERS = 8_000_000;
const MAX_ID_LENGTH = 256;

/** Gives the call its id and its place in the ledger, or says why it cannot have one. */
export function admit(session: SessionState, request: CallRequest, options: CallOptions): Call | ToolOutcome {
  const id = typeof request.id === "string" && request.id !== "" ? request.id : session.nextCallId();
  const name = typeof request.name === "string" ? request.name : "";
  const call = new Call(session, id, { ...request, name }, options);
  if (session.closed) return failed(call, sessionClosed(session.key));
  if (id.length > MAX_ID_LENGTH) return failed(call, badId(id));
  if (session.ledger.get(id)) return failed(call, usedId(id));
  const size = countCharacters(request.arguments, MAX_ARGUMENT_CHARACTERS);
  const fits = size <= MAX_ARGUMENT_CHARACTERS;
  const kept = fits ? request.arguments : { elided: true };
  call.meta = session.ledger.append(id, name, kept, fits ? size : 0, options.parentCallId);
  session.running.set(id, call);
  if (!fits) call.refusal = tooLarge();
  return call;
}

/** Characters of all strings in a value; stops counting above the limit. */
function countCharacters(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const key in value) {
    count += key.length + countCharacters((value as Record<string, unknown>)[key], limit - count);
    if (count > limit) break;
  }
  return count;
}

function sessionClosed(key: string): HaftError {
  return new HaftError("SESSION_CLOSED", `The session ${key} is closed.`, {
    category: "input",
    fix: "Open a session before calling tools.",
  });
}

function badId(id: string): HaftError {
  return new HaftError(
    "INVALID_CALL_ID",
    `A call id has at most ${MAX_ID_LENGTH} characters, this one ${id.length}.`,
    {
      category: "input",
      fix: "Send the id the provider gave, or none.",
    },
  );
}

function usedId(id: string): HaftError {
  return new HaftError(
    "DUPLICATE_CALL_ID",
    `The call id ${id} was used before in this session; nothing was run.`,
    {
      category: "input",
      fix: "Give every call an id of its own, or none.",
    },
  );
}

function tooLarge(): HaftError {
  return new HaftError(
    "ARGUMENTS_TOO_LARGE",
    `The arguments have more than ${MAX_ARGUMENT_CHARACTERS / 1e6} million characters.`,
    {
      category: "input",
      fix: "Send them in parts.",
      details: { limit: MAX_ARGUMENT_CHARACTERS },
    },
  );
}
