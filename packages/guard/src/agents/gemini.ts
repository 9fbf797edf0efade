import { attempt } from "@haft/system";
import { asRecord } from "@haft/utils";
import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import {
  parseArguments,
  isBeforeCall,
  payloadObject,
  requireText,
  findText,
  findTexts,
} from "../calls/fields.ts";
import { fileCall } from "../calls/make-calls.ts";
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
const MAX_FOLDERS = 2000;

/** Its paths can be globs. */
function readMany(input: unknown, cwd: string): GuardCall[] {
  const named = findTexts(asRecord(input), "include", "paths", "file_paths");
  const globs = named.filter((each) => /[*?[{(]/.test(each));
  const folders = globs.map((each) => resolve(cwd, each.replace(/[^/]*[*?[{(].*$/s, "") || "."));
  const call = fileCall("read", { paths: named }, cwd, ["paths"]);
  return globs.length === 0
    ? [call]
    : [call, { kind: "files", tool: "read", paths: folders, recursive: true }];
}

/** Gemini CLI edits the only file in the project whose path ends like a missing relative path. */
function editFound(input: unknown, cwd: string): GuardCall[] {
  const call = fileCall("edit", input, cwd, ["file_path", "path"]);
  const named = findTexts(asRecord(input), "file_path", "path").filter(
    (each) => !isAbsolute(each) && !existsSync(resolve(cwd, each)),
  );
  if (named.length === 0 || call.kind !== "files") return [call];
  const found = findByEnding(cwd, named);
  return found === undefined
    ? [call, { kind: "files", tool: "edit", paths: [cwd], recursive: true }]
    : [{ ...call, paths: [...new Set([...call.paths, ...found])] }];
}

/** Returns `undefined` if there are too many folders. */
function findByEnding(folder: string, endings: readonly string[]): string[] | undefined {
  const found: string[] = [];
  const folders = [folder];
  for (let at = 0; at < folders.length; at++) {
    if (at >= MAX_FOLDERS) return undefined;
    for (const entry of attempt(() => readdirSync(folders[at]!, { withFileTypes: true })) ?? []) {
      const path = join(folders[at]!, entry.name);
      if (entry.isDirectory() && !/^(?:node_modules|\.git)$/.test(entry.name)) folders.push(path);
      else if (endings.some((each) => path.endsWith(each.replace(/^@[/\\]*/, "").replaceAll("\\", "/"))))
        found.push(path);
    }
  }
  return found;
}

const ofTool = readCalls(
  {
    run_shell_command: command({ folder: ["dir_path", "directory"] }),
    read_file: files("read", "file_path", "absolute_path", "path"),
    read_many_files: readMany,
    write_file: files("write", "file_path", "path"),
    replace: editFound,
    edit: editFound,
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
