import { sha256 } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { PastCall } from "../../contract/ledger-port.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import { coreError } from "../../errors.ts";
import { callIdentity } from "../../parameters/duplicates.ts";
import { type CallOptions, type CallRequest, findOptionsError, formatSender } from "../call-options.ts";
import { type AdmittedCall, Call } from "../call.ts";
import { createFailedOutcome } from "../outcome.ts";
import type { SessionState } from "../session-state.ts";
import { type RequestSnapshot, snapshotRequest } from "./snapshot-request.ts";

const MAX_ID_LENGTH = 256;
const MAX_NESTING = 16;

export function admit(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): AdmittedCall | ToolOutcome | Promise<ToolOutcome> {
  const owned = snapshotRequest(request, (name) => {
    const resolution = session.view.resolve(name);
    return resolution.found === "visible" ? resolution.tool.tool.maxArgumentCharacters : undefined;
  });
  const { recorder } = session;
  const answeredAs = owned.id || session.nextCallId();
  const argsDigest = recorder && digestOfArguments(owned.arguments, options.sender);
  const before =
    owned.problem === undefined && !session.closed ? redelivered(session, owned, argsDigest) : undefined;
  if (before !== undefined) return replayed(session, before, answeredAs);
  const id =
    recorder?.oldIds?.idFor(answeredAs, (taken) => session.callHistory.get(taken) !== undefined) ??
    answeredAs;
  const call = new Call(session, id, owned, options, answeredAs);
  if (session.closed)
    return createFailedOutcome(call, coreError("SESSION_CLOSED", `The session ${session.key} is closed.`));
  if (answeredAs.length > MAX_ID_LENGTH) {
    const message = `A call id has at most ${MAX_ID_LENGTH} characters, but this id has ${answeredAs.length}.`;
    return createFailedOutcome(call, coreError("INVALID_CALL_ID", message));
  }
  if (session.callHistory.get(id)) {
    const message = `The call id ${answeredAs} was used before in this session; the call did not run.`;
    return createFailedOutcome(call, coreError("DUPLICATE_CALL_ID", message));
  }
  const refusal = recorder?.refusal();
  if (refusal !== undefined) return createFailedOutcome(call, refusal);
  call.argsDigest = argsDigest;
  const { parentCallId } = options;
  if (parentCallId !== undefined) call.nesting = (session.running.find(parentCallId)?.nesting ?? 0) + 1;
  const entry = session.callHistory.append(id, owned.name, owned.arguments, owned.weight, {
    answeredAs: answeredAs === id ? undefined : answeredAs,
    parentCallId,
  });
  const admitted = call.markAdmitted(entry);
  session.running.join(admitted);
  admitted.refusal =
    owned.problem ?? findOptionsError(options) ?? (call.nesting > MAX_NESTING ? tooDeep() : undefined);
  return admitted;
}

function redelivered(
  session: SessionState,
  { id, name }: RequestSnapshot,
  argsDigest: string | undefined,
): PastCall | undefined {
  const oldIds = session.recorder?.oldIds;
  if (!id || argsDigest === undefined || oldIds === undefined) return undefined;
  return oldIds.takeRedelivered(
    id,
    argsDigest,
    (toolName) => toolName === name || isNamed(session, name, toolName),
  );
}

function isNamed(session: SessionState, name: string, toolName: string): boolean {
  try {
    const resolution = session.view.resolve(name);
    if (resolution.found !== "visible") return false;
    const { facts, hasShortName } = resolution.tool;
    return toolName === (hasShortName ? facts.name : facts.id);
  } catch {
    return false;
  }
}

async function replayed(session: SessionState, past: PastCall, answeredAs: string): Promise<ToolOutcome> {
  const { replay } = await import("../recording/resume/replay.ts");
  return replay(session, past, answeredAs);
}

function tooDeep(): HaftError {
  return coreError("NESTED_TOO_DEEP", `Calls of tools by tools are nested ${MAX_NESTING} levels deep.`, {
    details: { limit: MAX_NESTING },
  });
}

function digestOfArguments(args: unknown, sender?: CallOptions["sender"]): string {
  return sha256(callIdentity(sender === undefined ? "" : formatSender(sender), args), "base64url");
}
