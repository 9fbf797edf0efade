import { membersOf } from "@haft/core/internal";
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

const about = { id: "opencode", label: "opencode", event: "tool.execute.before" } as const;
const PATHS = ["filePath", "file_path", "path"];

/** opencode: a module in its process, for which throwing is a denial. It has no way to ask. */
export const opencode: GuardAgent = {
  id: about.id,
  label: about.label,
  clientTools: { task: ["execute"], skill: ["execute"], websearch: ["network"], todowrite: [], todoread: [] },
  read: (payload, context) => modulePayload(payload, about, callsOf, context),
  asks: () => false,
  answer: (verdict) => {
    const denied = { block: true, reason: verdict.reason };
    return moduleAnswer(verdict, denied, denied);
  },
};

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  const args = membersOf(input);
  switch (name) {
    case "bash": {
      const folder = textIn(args, "workdir");
      return commandCalls(commandIn(input), folder === undefined ? cwd : resolve(cwd, folder));
    }
    case "read":
      return [fileCall("read", args, cwd, PATHS)];
    case "write":
      return [fileCall("write", args, cwd, PATHS)];
    case "edit":
    case "multiedit":
      return [fileCall("edit", args, cwd, PATHS)];
    case "apply_patch":
    case "patch":
      return patchCalls(textIn(args, "patchText", "patch", "input") ?? "", cwd);
    case "glob":
      return [fileCall("find", args, cwd, ["path"], cwd)];
    case "grep":
      return [fileCall("grep", args, cwd, ["path"], cwd)];
    case "list":
      return [fileCall("ls", args, cwd, ["path"], cwd)];
    case "webfetch":
      return [fetchCall(args)];
    default:
      if (Object.hasOwn(opencode.clientTools, name)) return [{ kind: "client", name, args: input }];
      // Tools of servers are called `server_tool`, and either may have the separator in its name.
      if (name.includes("_")) return [...mcpCalls(name, "_", input), ...unknownCalls(name, input, cwd)];
      return unknownCalls(name, input, cwd);
  }
}
