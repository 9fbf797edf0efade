import { membersOf } from "@haft/core/internal";
import { resolve } from "node:path";
import { argumentsIn, commandIn, isBeforeCall, payloadObject, requireText, textIn } from "../calls/fields.ts";
import { commandCalls, fetchCall, fileCall, mcpCalls, unknownCalls } from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer, noOpinion } from "./pre-tool-use.ts";

const LABEL = "Gemini CLI";
const CALLS = new Set(["BeforeTool"]);

/**
 * Gemini CLI. It hands the model's arguments through as they are, so paths may be relative, and it does not say whether
 * anybody is there: without a terminal `ask` would hang for good.
 */
export const gemini: GuardAgent = {
  id: "gemini",
  label: LABEL,
  clientTools: {
    invoke_agent: ["execute"],
    activate_skill: ["execute"],
    save_memory: ["write"],
    google_web_search: ["network"],
    write_todos: [],
    read_background_output: [],
    list_background_processes: [],
  },
  read(payload, { event, cwd: here }) {
    const members = payloadObject(payload, LABEL);
    const named = textIn(members, "hook_event_name") ?? event ?? "BeforeTool";
    const cwd = textIn(members, "cwd") ?? here;
    const isCall = isBeforeCall(named, CALLS, textIn(members, "tool_name"));
    const toolName = isCall ? requireText(members, LABEL, "tool_name") : "";
    const toolInput = argumentsIn(members["tool_input"]);
    return {
      agent: "gemini",
      event: named,
      toolName,
      toolInput,
      calls: isCall ? callsOf(toolName, toolInput, cwd, members["mcp_context"]) : [],
      sessionKey: `gemini:${textIn(members, "session_id") ?? ""}`,
      cwd,
      attended: false,
    };
  },
  asks: () => false,
  answer(verdict) {
    if (verdict.effect === "allow") return noOpinion(verdict);
    return jsonAnswer({ decision: "deny", reason: verdict.reason }, verdict);
  },
};

function callsOf(name: string, input: unknown, cwd: string, context: unknown): GuardCall[] {
  const args = membersOf(input);
  const server = textIn(membersOf(context), "server_name", "serverName");
  if (server !== undefined) {
    const tool = textIn(membersOf(context), "tool_name", "toolName") ?? name;
    return [{ kind: "mcp", server, tool, args: input }];
  }
  switch (name) {
    case "run_shell_command": {
      const folder = textIn(args, "dir_path", "directory");
      return commandCalls(commandIn(input), folder === undefined ? cwd : resolve(cwd, folder));
    }
    case "read_file":
      return [fileCall("read", args, cwd, ["file_path", "absolute_path", "path"])];
    case "read_many_files":
      return [fileCall("read", args, cwd, ["include", "paths", "file_paths"])];
    case "write_file":
      return [fileCall("write", args, cwd, ["file_path", "path"])];
    case "replace":
    case "edit":
      return [fileCall("edit", args, cwd, ["file_path", "path"])];
    case "list_directory":
      return [fileCall("ls", args, cwd, ["dir_path", "path"], cwd)];
    case "glob":
      return [fileCall("find", args, cwd, ["dir_path", "path"], cwd)];
    case "grep_search":
    case "search_file_content":
      return [fileCall("grep", args, cwd, ["dir_path", "path"], cwd)];
    case "web_fetch":
      return [fetchCall(args)];
    default:
      if (Object.hasOwn(gemini.clientTools, name)) return [{ kind: "client", name, args: input }];
      if (name.startsWith("mcp__")) return mcpCalls(name.slice("mcp__".length), "__", input);
      // Servers and tools may have the separator in their names.
      if (name.startsWith("mcp_")) return mcpCalls(name.slice("mcp_".length), "_", input);
      return unknownCalls(name, input, cwd);
  }
}
