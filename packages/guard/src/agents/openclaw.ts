import { membersOf, truncate } from "@haft/core/internal";
import { resolve } from "node:path";
import { commandIn, textIn } from "../calls/fields.ts";
import {
  commandCalls,
  fetchCall,
  fileCall,
  mcpCalls,
  patchCalls,
  unknownCalls,
} from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { moduleAnswer, modulePayload } from "./module-payload.ts";

const about = { id: "openclaw", label: "OpenClaw", event: "before_tool_call" } as const;

/** OpenClaw: a plugin in its process, which asks by the approvals of OpenClaw itself. Where a run comes from no
 * channel (`openclaw agent`), it denies what has to be asked, so there Haft asks. How it asks by its approvals was not tried. */
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

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  const args = membersOf(input);
  switch (name) {
    case "exec":
    case "bash": {
      const folder = textIn(args, "workdir", "cwd");
      return commandCalls(commandIn(input), folder === undefined ? cwd : resolve(cwd, folder));
    }
    case "process": {
      // What is typed into a running command is a command like any other.
      const typed = textIn(args, "data", "text", "input");
      const own: GuardCall = { kind: "unknown", name, args: input };
      return typed === undefined ? [own] : [own, ...commandCalls(typed, cwd)];
    }
    case "read":
    case "write":
    case "edit":
      return [fileCall(name, args, cwd, PATHS)];
    case "ls":
    case "find":
    case "grep":
      return [fileCall(name, args, cwd, PATHS, cwd)];
    case "apply_patch":
      return patchCalls(textIn(args, "input", "patch") ?? "", cwd);
    case "web_fetch":
      return [fetchCall(args)];
    default:
      if (Object.hasOwn(openclaw.clientTools, name)) return [{ kind: "client", name, args: input }];
      // Tools of servers are called `server__tool`.
      if (name.includes("__")) return [...mcpCalls(name, "__", input), ...unknownCalls(name, input, cwd)];
      return unknownCalls(name, input, cwd);
  }
}
