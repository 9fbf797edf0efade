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

/** What Claude and Codex send before a call, read alike; what one of them says beside it is in `members`. */
export function readPreToolUse(
  payload: unknown,
  { event, cwd: here }: ReadContext,
  { id, label, callsOf }: { id: AgentId; label: string; callsOf: CallsOf },
): { members: Members; read: GuardPayload } {
  const members = payloadObject(payload, label);
  const named = findText(members, "hook_event_name") ?? event ?? "PreToolUse";
  // The folder of the command itself, where the call names one.
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

/** Nothing said: the agent goes on by its own rules. */
export function noOpinion({ note }: Verdict, stdout = ""): HookAnswer {
  return { stdout, stderr: note === undefined ? "" : `${note}\n`, exitCode: 0 };
}

/** One line of JSON; where Haft itself failed also a text and exit code 2, which block whatever becomes of the JSON. */
export function jsonAnswer(json: object, { failed, reason }: Verdict): HookAnswer {
  const stdout = `${JSON.stringify(json)}\n`;
  return failed ? { stdout, stderr: `${reason}\n`, exitCode: 2 } : { stdout, stderr: "", exitCode: 0 };
}

/** What Claude and Codex read before a call. Codex runs the call when a key is there that it does not know, so there is no other. */
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

/** What they read before a person would be asked. */
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
