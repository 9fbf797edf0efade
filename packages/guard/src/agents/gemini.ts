import { asRecord } from "@haft/utils";
import { parseArguments, isBeforeCall, payloadObject, requireText, findText } from "../calls/fields.ts";
import { command, fetchTool, files, filesOrCwd, serverPrefix, readCalls } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer, noOpinion } from "./pre-tool-use.ts";

const LABEL = "Gemini CLI";
const CALLS = new Set(["BeforeTool"]);

/** Paths can be relative. Without a terminal, `ask` would wait forever, and the payload does not report a terminal. */
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
    const named = findText(members, "hook_event_name") ?? event ?? "BeforeTool";
    const cwd = findText(members, "cwd") ?? here;
    const isCall = isBeforeCall(named, CALLS, findText(members, "tool_name"));
    const toolName = isCall ? requireText(members, LABEL, "tool_name") : "";
    const toolInput = parseArguments(members["tool_input"]);
    return {
      agent: "gemini",
      event: named,
      toolName,
      toolInput,
      calls: isCall ? callsOf(toolName, toolInput, cwd, members["mcp_context"]) : [],
      sessionKey: `gemini:${findText(members, "session_id") ?? ""}`,
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

const HERE = ["dir_path", "path"];

const ofTool = readCalls(
  {
    run_shell_command: command({ folder: ["dir_path", "directory"] }),
    read_file: files("read", "file_path", "absolute_path", "path"),
    read_many_files: files("read", "include", "paths", "file_paths"),
    write_file: files("write", "file_path", "path"),
    replace: files("edit", "file_path", "path"),
    edit: files("edit", "file_path", "path"),
    list_directory: filesOrCwd("ls", ...HERE),
    glob: filesOrCwd("find", ...HERE),
    grep_search: filesOrCwd("grep", ...HERE),
    search_file_content: filesOrCwd("grep", ...HERE),
    web_fetch: fetchTool,
  },
  gemini,
  serverPrefix("mcp__", "__"),
  serverPrefix("mcp_", "_"),
);

function callsOf(name: string, input: unknown, cwd: string, context: unknown): GuardCall[] {
  const server = findText(asRecord(context), "server_name", "serverName");
  if (server === undefined) return ofTool(name, input, cwd);
  const tool = findText(asRecord(context), "tool_name", "toolName") ?? name;
  return [{ kind: "mcp", server, tool, args: input }];
}
