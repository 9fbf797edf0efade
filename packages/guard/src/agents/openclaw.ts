import { asRecord, truncate } from "@haft/utils";
import { findText } from "../calls/fields.ts";
import { commandCalls, patchCalls } from "../calls/make-calls.ts";
import { command, fetchTool, files, filesOrCwd, readCalls, serverSeparator } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { moduleAnswer, modulePayload } from "./module-payload.ts";

const about = { id: "openclaw", label: "OpenClaw", event: "before_tool_call" } as const;

/** OpenClaw asks through its own approvals (not tested). In runs without a channel (`openclaw agent`) it denies questions, so Haft asks. */
export const openclaw: GuardAgent = {
  id: about.id,
  label: about.label,
  clientTools: {
    sessions_spawn: ["execute"],
    sessions_send: ["message"],
    message: ["message"],
    cron: ["execute"],
    nodes: ["execute"],
    browser: ["network"],
    web_search: ["network"],
    sessions_list: [],
    sessions_history: [],
    session_status: [],
  },
  read: (payload, context) => modulePayload(payload, about, callsOf, context),
  asks: ({ attended }) => attended,
  answer(verdict) {
    const { reason } = verdict;
    const requireApproval = {
      title: "Haft asks about this call",
      description: truncate(reason, 512),
      severity: "warning",
      timeoutBehavior: "deny",
    };
    return moduleAnswer(verdict, { requireApproval }, { block: true, blockReason: reason });
  },
};

const PATHS = ["path", "file_path", "filePath"];

const callsOf = readCalls(
  {
    exec: command({ folder: ["workdir", "cwd"] }),
    bash: command({ folder: ["workdir", "cwd"] }),
    process(input, cwd) {
      const typed = findText(asRecord(input), "data", "text", "input");
      const processCall: GuardCall = { kind: "unknown", name: "process", args: input };
      return typed === undefined ? [processCall] : [processCall, ...commandCalls(typed, cwd)];
    },
    read: files("read", ...PATHS),
    write: files("write", ...PATHS),
    edit: files("edit", ...PATHS),
    ls: filesOrCwd("ls", ...PATHS),
    find: filesOrCwd("find", ...PATHS),
    grep: filesOrCwd("grep", ...PATHS),
    apply_patch: (input, cwd) => patchCalls(findText(asRecord(input), "input", "patch") ?? "", cwd),
    web_fetch: fetchTool,
  },
  openclaw,
  serverSeparator("__"),
);
