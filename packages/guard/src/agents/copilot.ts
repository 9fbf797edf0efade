import { asRecord } from "@haft/utils";
import {
  parseArguments,
  readCommand,
  isBeforeCall,
  payloadObject,
  requireText,
  findText,
} from "../calls/fields.ts";
import { commandCalls, fileCall, patchCalls } from "../calls/make-calls.ts";
import { command, fetchTool, files, filesOrCwd, readCalls, serverSeparator } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { jsonAnswer, noOpinion } from "./pre-tool-use.ts";

const LABEL = "Copilot";
const CALLS = new Set(["preToolUse", "permissionRequest"]);

/** The payload has neither the event nor whether a person is present. */
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
    const named = findText(members, "hookName", "hook_event_name") ?? event ?? "preToolUse";
    const short = named.slice(0, 1).toLowerCase() + named.slice(1);
    const cwd = findText(members, "cwd") ?? here;
    const isCall = isBeforeCall(short, CALLS, findText(members, "toolName", "tool_name"));
    const toolName = isCall ? requireText(members, LABEL, "toolName", "tool_name") : "";
    const toolInput = parseArguments(members["toolArgs"] ?? members["toolInput"] ?? members["tool_input"]);
    return {
      agent: "copilot",
      event: short,
      toolName,
      toolInput,
      calls: isCall ? callsOf(toolName, toolInput, cwd) : [],
      sessionKey: `copilot:${findText(members, "sessionId", "session_id") ?? ""}`,
      cwd,
      attended: false,
    };
  },
  asks: () => false,
  answer(verdict, event) {
    if (verdict.effect === "allow") return noOpinion(verdict);
    const { reason } = verdict;
    const json =
      event === "permissionRequest"
        ? { behavior: "deny", message: reason }
        : { permissionDecision: "deny", permissionDecisionReason: reason };
    // With exit code 2 the model of Copilot would see the code instead of the reason.
    return { ...jsonAnswer(json, verdict), exitCode: 0 };
  },
};

const PATHS = ["path", "file_path", "filePath"];

const callsOf = readCalls(
  {
    bash: command(),
    run_in_terminal: command(),
    powershell: command({ shell: "powershell" }),
    write_bash(input, cwd) {
      // Input to a shell is judged like a command.
      const text = findText(asRecord(input), "input") ?? "";
      const typed = text.replaceAll(/\{enter\}/gi, "\n").trim();
      const clientCall: GuardCall = { kind: "client", name: "write_bash", args: input };
      return typed === "" ? [clientCall] : [clientCall, ...commandCalls(typed, cwd)];
    },
    view: files("read", ...PATHS),
    create: files("write", ...PATHS),
    edit: files("edit", ...PATHS),
    str_replace_editor: (input, cwd) => [
      fileCall(findText(asRecord(input), "command") === "view" ? "read" : "edit", input, cwd, PATHS),
    ],
    apply_patch: (input, cwd) =>
      patchCalls(typeof input === "string" ? input : readCommand(input, "patch", "input"), cwd),
    grep: filesOrCwd("grep", "paths", "path"),
    rg: filesOrCwd("grep", "paths", "path"),
    glob: filesOrCwd("find", "path", "paths"),
    web_fetch: fetchTool,
  },
  copilot,
  serverSeparator("-"),
);
