import { isAbsolute, resolve } from "node:path";
import {
  argumentsIn,
  commandIn,
  isBeforeCall,
  membersOf,
  payloadObject,
  requireText,
  textIn,
  textsIn,
} from "../calls/fields.ts";
import { commandCalls, fetchCall, fileCall, unknownCalls } from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer } from "./pre-tool-use.ts";

const LABEL = "Cursor";
const CALLS = new Set(["preToolUse"]);
/** Events that say what they are about by their names. */
const OWN: Readonly<Record<string, string>> = {
  beforeShellExecution: "Shell",
  beforeReadFile: "Read",
  beforeTabFileRead: "Read",
  subagentStart: "Task",
};

/**
 * Cursor, as its documents and recordings of others have it; not tried with the program itself. An empty answer counts as a
 * failure there, so it is always told something; the model is shown the message for the user.
 */
export const cursor: GuardAgent = {
  id: "cursor",
  label: LABEL,
  clientTools: { Task: ["execute"] },
  read(payload, { event, cwd: here }) {
    const members = payloadObject(payload, LABEL);
    const named = textIn(members, "hook_event_name") ?? event ?? "preToolUse";
    const [workspace = here] = textsIn(members, "workspace_roots");
    const toolInput = argumentsIn(members["tool_input"]);
    const folder = textIn(members, "cwd") ?? textIn(membersOf(toolInput), "cwd") ?? workspace;
    const cwd = isAbsolute(folder) ? folder : resolve(workspace, folder);
    const own = Object.hasOwn(OWN, named) ? OWN[named] : undefined;
    const isMcp = named === "beforeMCPExecution";
    const isCall = own !== undefined || isMcp || isBeforeCall(named, CALLS, textIn(members, "tool_name"));
    const toolName = !isCall ? "" : (own ?? requireText(members, LABEL, "tool_name"));
    const input = own === undefined ? toolInput : members;
    const model = textIn(members, "model");
    return {
      agent: "cursor",
      event: named,
      toolName,
      toolInput: input,
      calls: !isCall ? [] : isMcp ? [mcp(toolName, input)] : callsOf(toolName, input, cwd),
      sessionKey: `cursor:${textIn(members, "conversation_id", "session_id") ?? ""}`,
      cwd,
      attended: false,
      ...(model === undefined ? {} : { model }),
    };
  },
  asks: () => false,
  answer(verdict) {
    if (verdict.effect === "allow") {
      const { note } = verdict;
      return {
        stdout: '{"permission":"allow"}\n',
        stderr: note === undefined ? "" : `${note}\n`,
        exitCode: 0,
      };
    }
    const { reason } = verdict;
    // With another exit code the text would be shown as it is.
    return {
      ...jsonAnswer({ permission: "deny", user_message: reason, agent_message: reason }, verdict),
      exitCode: 0,
    };
  },
};

/** Which server it is of, its payload does not say by name. */
function mcp(tool: string, args: unknown): GuardCall {
  return { kind: "mcp", server: "", tool: tool.replace(/^MCP:/, ""), args };
}

const PATHS = ["file_path", "path", "target_file"];

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  switch (name) {
    case "Shell": {
      const folder = textIn(membersOf(input), "cwd");
      return commandCalls(commandIn(input), folder === undefined ? cwd : resolve(cwd, folder));
    }
    case "Read":
      return [fileCall("read", input, cwd, PATHS)];
    case "Write":
    case "Delete":
      return [fileCall("write", input, cwd, PATHS)];
    case "Edit":
      return [fileCall("edit", input, cwd, PATHS)];
    case "Grep":
      return [fileCall("grep", input, cwd, PATHS, cwd)];
    case "WebFetch":
      return [fetchCall(input)];
    default:
      if (name.startsWith("MCP:")) return [mcp(name, input)];
      if (Object.hasOwn(cursor.clientTools, name)) return [{ kind: "client", name, args: input }];
      return unknownCalls(name, input, cwd);
  }
}
