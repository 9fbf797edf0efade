import { fileCall } from "../calls/make-calls.ts";
import { command, fetchTool, files, filesOrCwd, serverPrefix, readCalls } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import { noOpinion, permissionRequest, preToolUse, readPreToolUse } from "./pre-tool-use.ts";

const LABEL = "Claude Code";

/** Its tools use absolute paths, and `cwd` follows earlier commands. */
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

const PATHS = ["file_path", "notebook_path", "path"];

const callsOf = readCalls(
  {
    Bash: command(),
    Monitor: command(),
    PowerShell: command({ shell: "powershell" }),
    Read: files("read", ...PATHS),
    NotebookRead: files("read", ...PATHS),
    Write: files("write", ...PATHS),
    NotebookEdit: (input, cwd) => [
      { kind: "client", name: "NotebookEdit", args: input },
      fileCall("edit", input, cwd, PATHS),
    ],
    Edit: files("edit", ...PATHS),
    MultiEdit: files("edit", ...PATHS),
    LS: filesOrCwd("ls", "path"),
    Glob: filesOrCwd("find", "path"),
    Grep: filesOrCwd("grep", "path"),
    WebFetch: fetchTool,
  },
  claude,
  serverPrefix("mcp__", "__"),
);
