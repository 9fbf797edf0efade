import { membersOf } from "@haft/core/internal";
import { argumentsIn, commandIn, isBeforeCall, payloadObject, requireText, textIn } from "../calls/fields.ts";
import {
  commandCalls,
  fetchCall,
  fileCall,
  mcpCalls,
  patchCalls,
  unknownCalls,
} from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer, noOpinion } from "./pre-tool-use.ts";

const LABEL = "Copilot";
const CALLS = new Set(["preToolUse", "permissionRequest"]);

/**
 * Copilot CLI. Its payload does not say which event it is of, so the settings do; nor whether anybody is there. The
 * folder stays that of the project: what one command does with `cd` is over with it.
 */
export const copilot: GuardAgent = {
  id: "copilot",
  label: LABEL,
  clientTools: {
    task: ["execute"],
    skill: ["execute"],
    sql: ["write"],
    write_bash: ["execute"],
    read_bash: [],
    stop_bash: [],
    list_bash: [],
    report_intent: [],
  },
  read(payload, { event, cwd: here }) {
    const members = payloadObject(payload, LABEL);
    const named = textIn(members, "hookName", "hook_event_name") ?? event ?? "preToolUse";
    const short = named.slice(0, 1).toLowerCase() + named.slice(1);
    const cwd = textIn(members, "cwd") ?? here;
    const isCall = isBeforeCall(short, CALLS, textIn(members, "toolName", "tool_name"));
    const toolName = isCall ? requireText(members, LABEL, "toolName", "tool_name") : "";
    const toolInput = argumentsIn(members["toolArgs"] ?? members["toolInput"] ?? members["tool_input"]);
    return {
      agent: "copilot",
      event: short,
      toolName,
      toolInput,
      calls: isCall ? callsOf(toolName, toolInput, cwd) : [],
      sessionKey: `copilot:${textIn(members, "sessionId", "session_id") ?? ""}`,
      cwd,
      attended: false,
    };
  },
  asks: () => false,
  answer(verdict, event) {
    if (verdict.effect === "allow") return noOpinion(verdict);
    const { reason } = verdict;
    if (event === "permissionRequest") return jsonAnswer({ behavior: "deny", message: reason }, verdict);
    return jsonAnswer({ permissionDecision: "deny", permissionDecisionReason: reason }, verdict);
  },
};

const PATHS = ["path", "file_path", "filePath"];

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  const args = membersOf(input);
  switch (name) {
    case "bash":
    case "run_in_terminal":
      return commandCalls(commandIn(input), cwd);
    case "powershell":
      return commandCalls(commandIn(input), cwd, "powershell");
    case "write_bash": {
      // What is typed into a shell is a command like any other.
      const typed = (textIn(args, "input") ?? "").replaceAll(/\{enter\}/gi, "\n").trim();
      const own: GuardCall = { kind: "client", name, args: input };
      return typed === "" ? [own] : [own, ...commandCalls(typed, cwd)];
    }
    case "view":
      return [fileCall("read", args, cwd, PATHS)];
    case "create":
      return [fileCall("write", args, cwd, PATHS)];
    case "edit":
      return [fileCall("edit", args, cwd, PATHS)];
    case "str_replace_editor":
      return [fileCall(textIn(args, "command") === "view" ? "read" : "edit", args, cwd, PATHS)];
    case "apply_patch":
      return patchCalls(typeof input === "string" ? input : commandIn(input, "patch", "input"), cwd);
    case "grep":
    case "rg":
      return [fileCall("grep", args, cwd, ["paths", "path"], cwd)];
    case "glob":
      return [fileCall("find", args, cwd, ["path", "paths"], cwd)];
    case "web_fetch":
      return [fetchCall(args)];
    default:
      if (Object.hasOwn(copilot.clientTools, name)) return [{ kind: "client", name, args: input }];
      // Servers and tools may have the separator in their names.
      if (name.includes("-")) return [...mcpCalls(name, "-", input), ...unknownCalls(name, input, cwd)];
      return unknownCalls(name, input, cwd);
  }
}
