import { asRecord } from "@haft/utils";
import { isAbsolute, resolve } from "node:path";
import {
  parseArguments,
  isBeforeCall,
  payloadObject,
  requireText,
  findText,
  findTexts,
} from "../calls/fields.ts";
import { command, fetchTool, files, filesOrCwd, readCalls } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer } from "./pre-tool-use.ts";

const LABEL = "Cursor";
const CALLS = new Set(["preToolUse"]);
/** If the hook line lists this event, the other events skip calls of MCP servers. */
const OF_SERVERS = "beforeMCPExecution";
const TOOL_OF_EVENT: Readonly<Record<string, string>> = {
  beforeShellExecution: "Shell",
  beforeReadFile: "Read",
  beforeTabFileRead: "Read",
  subagentStart: "Task",
};

/** From its documentation; not tested with Cursor. An empty answer counts as a failure. The model sees the message for the user. */
export const cursor: GuardAgent = {
  id: "cursor",
  label: LABEL,
  clientTools: { Task: ["execute"] },
  read(payload, { event, cwd: here }) {
    const members = payloadObject(payload, LABEL);
    const [listedEvent = "", ...beside] = (event ?? "preToolUse").split("+");
    const named = findText(members, "hook_event_name") ?? listedEvent;
    const [workspace = here] = findTexts(members, "workspace_roots");
    const toolInput = parseArguments(members["tool_input"]);
    const folder = findText(members, "cwd") ?? findText(asRecord(toolInput), "cwd") ?? workspace;
    const cwd = isAbsolute(folder) ? folder : resolve(workspace, folder);
    const toolOfEvent = Object.hasOwn(TOOL_OF_EVENT, named) ? TOOL_OF_EVENT[named] : undefined;
    const isMcp = named === OF_SERVERS;
    const isCall =
      toolOfEvent !== undefined || isMcp || isBeforeCall(named, CALLS, findText(members, "tool_name"));
    const given = !isCall ? "" : (toolOfEvent ?? requireText(members, LABEL, "tool_name"));
    const server = isMcp ? findText(members, "mcp_server_name") : undefined;
    // Answers apply to one server only.
    const toolName = server === undefined ? given : `MCP:${server}/${toolOf(given, server)}`;
    const isLeft = !isMcp && toolName.startsWith("MCP:") && beside.includes(OF_SERVERS);
    const input = toolOfEvent === undefined ? toolInput : members;
    const model = findText(members, "model");
    return {
      agent: "cursor",
      event: named,
      toolName,
      toolInput: input,
      calls: !isCall || isLeft ? [] : isMcp ? mcp(given, input, server) : callsOf(toolName, input, cwd),
      sessionKey: `cursor:${findText(members, "conversation_id", "session_id") ?? ""}`,
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
    // With another exit code, Cursor shows the JSON.
    return {
      ...jsonAnswer({ permission: "deny", user_message: reason, agent_message: reason }, verdict),
      exitCode: 0,
    };
  },
};

/** Older versions do not name the server. Others may add a prefix: `user-github`, `project-0-shop-github`. */
function mcp(name: string, args: unknown, server = ""): GuardCall[] {
  const tool = toolOf(name, server);
  const call: GuardCall = { kind: "mcp", server, tool, args };
  const rest = /^(?:user|project-\d+)-(.+)$/.exec(server)?.[1];
  if (rest === undefined) return [call];
  const words = server.startsWith("user-") ? [rest] : rest.split("-");
  const names = words.map((_, at) => words.slice(at).join("-")).slice(-MAX_NAMES);
  return [call, ...names.map((each): GuardCall => ({ ...call, server: each, guessed: true }))];
}

function toolOf(name: string, server: string): string {
  const tool = name.replace(/^MCP:/, "");
  return server !== "" && tool.startsWith(`${server}/`) ? tool.slice(server.length + 1) : tool;
}

const MAX_NAMES = 12;

const PATHS = ["file_path", "path", "target_file"];

const callsOf = readCalls(
  {
    Shell: command({ folder: ["cwd"] }),
    Read: files("read", ...PATHS),
    Write: files("write", ...PATHS),
    Delete: files("write", ...PATHS),
    Edit: files("edit", ...PATHS),
    Grep: filesOrCwd("grep", ...PATHS),
    WebFetch: fetchTool,
  },
  cursor,
  (name, input) => (name.startsWith("MCP:") ? mcp(name, input) : undefined),
);
