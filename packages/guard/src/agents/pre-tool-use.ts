import {
  parseArguments,
  isBeforeCall,
  type Members,
  payloadObject,
  requireText,
  findText,
} from "../calls/fields.ts";
import type { HookAnswer, ReadContext } from "../contract/agent.ts";
import type { AgentId, GuardCall, GuardPayload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";

const CALLS = new Set(["PreToolUse", "PermissionRequest"]);

export function readPreToolUse(
  payload: unknown,
  { event, cwd: here }: ReadContext,
  { id, label, callsOf }: { id: AgentId; label: string; callsOf: CallsOf },
): { members: Members; read: GuardPayload } {
  const members = payloadObject(payload, label);
  const named = findText(members, "hook_event_name") ?? event ?? "PreToolUse";
  const cwd = findText(members, "cwd") ?? here;
  const isCall = isBeforeCall(named, CALLS, findText(members, "tool_name"));
  const toolName = isCall ? requireText(members, label, "tool_name") : "";
  const toolInput = parseArguments(members["tool_input"]);
  const subagent = findText(members, "agent_type", "agent_id");
  const read: GuardPayload = {
    agent: id,
    event: named,
    toolName,
    toolInput,
    calls: isCall ? callsOf(toolName, toolInput, cwd) : [],
    sessionKey: `${id}:${findText(members, "session_id") ?? ""}`,
    cwd,
    attended: false,
  };
  return { members, read: subagent === undefined ? read : { ...read, subagent } };
}

type CallsOf = (name: string, input: unknown, cwd: string) => GuardCall[];

export function noOpinion({ note }: Verdict, stdout = ""): HookAnswer {
  return { stdout, stderr: note === undefined ? "" : `${note}\n`, exitCode: 0 };
}

/** If Haft failed, a text and exit code 2 block the call even if the agent ignores the JSON. */
export function jsonAnswer(json: object, { failed, reason }: Verdict): HookAnswer {
  const stdout = `${JSON.stringify(json)}\n`;
  return failed ? { stdout, stderr: `${reason}\n`, exitCode: 2 } : { stdout, stderr: "", exitCode: 0 };
}

/** Codex runs the call if it does not know a key. */
export function preToolUse(verdict: Verdict, permissionDecision: "deny" | "ask"): HookAnswer {
  return jsonAnswer(
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision,
        permissionDecisionReason: verdict.reason,
      },
    },
    verdict,
  );
}

/** For the event before the agent asks a person. */
export function permissionRequest(verdict: Verdict): HookAnswer {
  return jsonAnswer(
    {
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "deny", message: verdict.reason },
      },
    },
    verdict,
  );
}
