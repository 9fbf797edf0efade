import type { AnyTool } from "../../contract/tool.ts";
import { callIdentity, preparedIdentity } from "../../parameters/duplicates.ts";
import { type CallOptions, formatSender } from "../call-options.ts";
import type { Call, PlannedCall, Step } from "../call.ts";
import type { LoopRecord } from "../loop-guard.ts";
import { createBlockedOutcome } from "../outcome.ts";
import type { SessionState } from "../session-state.ts";

export function checkRepetition(call: PlannedCall): Step {
  const { session } = call;
  call.key = getCallKey(call);
  const known = session.guard.find(call.key);
  if (known) {
    call.meta.duplicateOf = known.lastId;
    const repetition = findRepetition(session, call.tool.tool, known);
    if (repetition) {
      const { code, message, fix, details } = repetition;
      return createBlockedOutcome(call, code, message, fix, details);
    }
  }
  call.record = session.guard.start(call.key, call.id, call.traits());
  return undefined;
}

export interface Repetition {
  code: string;
  message: string;
  fix?: string;
  details?: Record<string, unknown>;
}

export function findRepetition(
  { guard, settings }: SessionState,
  tool: AnyTool,
  known: LoopRecord,
): Repetition | undefined {
  if (suppressesRepeats(tool) && (known.succeeded || known.running > 0)) return duplicate(known);
  return settings.loopLimits && guard.check(known.key);
}

export function getCallKey(call: Call): string {
  const { session, toolName, tool } = call;
  const key =
    tool && call.isPrepared
      ? preparedIdentity(toolName, call.args, tool.tool)
      : callIdentity(toolName, call.request.arguments);
  return callIdentityFor(session, key, call.options.sender);
}

/** Includes the sender: a person's denials must not block calls for others. */
export function callIdentityFor(session: SessionState, key: string, sender: CallOptions["sender"]): string {
  return session.identity(sender === undefined ? key : JSON.stringify([formatSender(sender), key]));
}

function duplicate(known: LoopRecord): Repetition {
  const state = known.succeeded ? "already succeeded" : "is running already";
  return {
    code: "DUPLICATE_CALL",
    message: `This exact call ${state} (${known.lastId}); it was not made again.`,
    fix: "Use the result of the first call, or change the arguments if you mean something else.",
    details: { duplicateOf: known.lastId },
  };
}

function suppressesRepeats(tool: AnyTool): boolean {
  const declared = tool.progress?.identicalRepeat;
  return declared === undefined ? tool.effects.includes("message") : declared === "suppress";
}
