import { parseArguments, payloadObject, requireText, findText } from "../calls/fields.ts";
import type { HookAnswer, ReadContext } from "../contract/agent.ts";
import type { AgentId, GuardCall, GuardPayload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import { jsonAnswer } from "./pre-tool-use.ts";

/** Reads `{ tool, args, cwd, session, attended, subagent }`. */
export function modulePayload(
  payload: unknown,
  { id, label, event }: { id: AgentId; label: string; event: string },
  callsOf: (name: string, args: unknown, cwd: string) => GuardCall[],
  { cwd: here }: ReadContext,
): GuardPayload {
  const members = payloadObject(payload, label);
  const toolName = requireText(members, label, "tool", "toolName");
  const toolInput = parseArguments(members["args"] ?? members["input"] ?? members["params"]);
  const cwd = findText(members, "cwd") ?? here;
  const subagent = findText(members, "subagent");
  return {
    agent: id,
    event,
    toolName,
    toolInput,
    calls: callsOf(toolName, toolInput, cwd),
    sessionKey: `${id}:${findText(members, "session", "sessionID", "sessionKey") ?? ""}`,
    cwd,
    attended: members["attended"] === true,
    ...(subagent === undefined ? {} : { subagent }),
  };
}

/** Never empty: silence counts as a failure. */
export function moduleAnswer(verdict: Verdict, question: object, denied: object): HookAnswer {
  if (verdict.effect === "allow")
    return { ...jsonAnswer({}, verdict), stderr: verdict.note ? `${verdict.note}\n` : "" };
  return jsonAnswer(verdict.effect === "ask" ? question : denied, verdict);
}
