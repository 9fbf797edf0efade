import type { Selector } from "./selector.ts";

/** Programs that let Haft decide calls of their own tools. */
const clients: ReadonlySet<string> = new Set([
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "pi",
  "openclaw",
]);

/** Entries may name these tools although no host has them. */
export const clientTools: ReadonlySet<string> = new Set([
  // Claude
  "Agent",
  "AskUserQuestion",
  "BashOutput",
  "EnterPlanMode",
  "ExitPlanMode",
  "KillShell",
  "ListAgents",
  "NotebookEdit",
  "ScheduleWakeup",
  "Skill",
  "SlashCommand",
  "Task",
  "TaskStop",
  "TodoWrite",
  "ToolSearch",
  "WebSearch",
  "Workflow",
  // Codex
  "send_input",
  "spawn_agent",
  "update_plan",
  "view_image",
  "wait",
  // Gemini
  "activate_skill",
  "google_web_search",
  "invoke_agent",
  "list_background_processes",
  "read_background_output",
  "save_memory",
  "write_todos",
  // Copilot
  "list_bash",
  "read_bash",
  "report_intent",
  "skill",
  "sql",
  "stop_bash",
  "task",
  "write_bash",
  // opencode, Cursor
  "todoread",
  "todowrite",
  "websearch",
  // OpenClaw
  "browser",
  "cron",
  "message",
  "nodes",
  "session_status",
  "sessions_history",
  "sessions_list",
  "sessions_send",
  "sessions_spawn",
  "web_search",
  // All of them; a plugin gives it to hosts.
  "web_fetch",
]);

/** Names of clients for tools of Haft, in lower case. Rules have Haft's names. */
const HAFT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    exec: "shell powershell monitor run_shell_command exec_command local_shell run_in_terminal user_bash",
    read: "notebookread read_file read_many_files view",
    write: "write_file create delete",
    edit: "multiedit replace str_replace_editor",
    apply_patch: "patch",
    ls: "list list_directory",
    find: "glob",
    grep: "rg grep_search search_file_content",
    web_fetch: "webfetch",
  }).flatMap(([name, others]) => others.split(" ").map((other) => [other, name] as const)),
);
const SHARED_NAMES = new Set(["exec", "read", "write", "edit", "ls", "grep"]);

/** Returns Haft's name of a client's tool: `exec` for `Bash`. */
export function findHaftName(client: string): string | undefined {
  const folded = client.toLowerCase();
  if (folded === client && SHARED_NAMES.has(client)) return undefined;
  if (client === "Bash") return "exec";
  return HAFT_NAMES.get(folded) ?? (SHARED_NAMES.has(folded) ? folded : undefined);
}

export function isClientTool(name: string): boolean {
  return clientTools.has(name);
}

/** Whether it selects tools that only clients and MCP servers have. A host does not know if they exist. */
export function selectsClientTool({ target }: Selector): boolean {
  switch (target.kind) {
    case "mcp":
      return true;
    case "name":
      return isClientTool(target.name);
    case "word":
      return isClientTool(target.word) || isClient(target.word);
    case "plugin":
      return isClient(target.pluginId);
    case "id":
      return isClient(target.id.split("/", 1)[0]!);
    case "pattern":
      return isClient(target.pattern.split("/", 1)[0]!);
    case "all":
    case "group":
    case "plugins":
    case "effect":
      return false;
  }
}

export function isClient(word: string): boolean {
  return clients.has(word) || word === "mcp";
}
