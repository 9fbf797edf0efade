import { membersOf } from "@haft/core/internal";
import { commandIn } from "../calls/fields.ts";
import { commandCalls, fetchCall, fileCall, mcpCalls, unknownCalls } from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { noOpinion, permissionRequest, preToolUse, readPreToolUse } from "./pre-tool-use.ts";

const LABEL = "Claude Code";

/**
 * Claude Code. Paths of its tools are absolute, and `cwd` follows what earlier commands did. Its hook is started in
 * subagents, too.
 */
export const claude: GuardAgent = {
  id: "claude",
  label: LABEL,
  clientTools: {
    Agent: ["execute"],
    Task: ["execute"],
    Workflow: ["execute"],
    Skill: ["execute"],
    SlashCommand: ["execute"],
    ScheduleWakeup: ["execute"],
    WebSearch: ["network"],
    AskUserQuestion: [],
    BashOutput: [],
    EnterPlanMode: [],
    ExitPlanMode: [],
    KillShell: [],
    ListAgents: [],
    TaskStop: [],
    TodoWrite: [],
    ToolSearch: [],
  },
  read(payload, context) {
    const { read } = readPreToolUse(payload, context, { id: "claude", label: LABEL, callsOf });
    const attended = context.env["CLAUDE_CODE_SESSION_ATTENDED"] ?? "";
    return { ...read, attended: attended !== "" && attended !== "0" };
  },
  asks: ({ attended, event }) => attended && event === "PreToolUse",
  answer(verdict, event) {
    if (verdict.effect === "allow") return noOpinion(verdict);
    if (event === "PermissionRequest") return permissionRequest(verdict);
    return preToolUse(verdict, verdict.effect);
  },
};

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  const args = membersOf(input);
  const file = (tool: "read" | "write" | "edit") => [
    fileCall(tool, args, cwd, ["file_path", "notebook_path", "path"]),
  ];
  switch (name) {
    case "Bash":
    case "Monitor":
      return commandCalls(commandIn(input), cwd);
    case "PowerShell":
      return commandCalls(commandIn(input), cwd, "powershell");
    case "Read":
    case "NotebookRead":
      return file("read");
    case "Write":
      return file("write");
    case "NotebookEdit":
      return [{ kind: "client", name, args: input }, ...file("edit")];
    case "Edit":
    case "MultiEdit":
      return file("edit");
    case "LS":
      return [fileCall("ls", args, cwd, ["path"], cwd)];
    case "Glob":
      return [fileCall("find", args, cwd, ["path"], cwd)];
    case "Grep":
      return [fileCall("grep", args, cwd, ["path"], cwd)];
    case "WebFetch":
      return [fetchCall(args)];
    default:
      if (name.startsWith("mcp__")) return mcpCalls(name.slice("mcp__".length), "__", input);
      if (Object.hasOwn(claude.clientTools, name)) return [{ kind: "client", name, args: input }];
      return unknownCalls(name, input, cwd);
  }
}
