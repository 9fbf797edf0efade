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
  "Workflow",
  // Codex
  "spawn_agent",
  "update_plan",
  "view_image",
  // Gemini
  "activate_skill",
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
]);

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

function isClient(word: string): boolean {
  return clients.has(word) || word === "mcp";
}
