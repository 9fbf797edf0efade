import { asRecord } from "@haft/utils";
import { readCommand, findText } from "../calls/fields.ts";
import { fileCall, patchCalls } from "../calls/make-calls.ts";
import { command, serverPrefix, readCalls } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { noOpinion, permissionRequest, preToolUse, readPreToolUse } from "./pre-tool-use.ts";

const LABEL = "Codex";

/**
 * Codex runs the call after `ask`, exit code 1, empty standard error or an unknown key. So every answer is `allow` or `deny`. Input to a
 * running command fires no hook.
 */
export const codex: GuardAgent = {
  id: "codex",
  label: LABEL,
  hasUnreviewedStdin: true,
  clientTools: {
    spawn_agent: ["execute"],
    send_input: ["execute"],
    update_plan: [],
    wait: [],
  },
  read(payload, context) {
    const { members, read } = readPreToolUse(payload, context, { id: "codex", label: LABEL, callsOf });
    const model = findText(members, "model");
    return model === undefined ? read : { ...read, model };
  },
  asks: () => false,
  answer(verdict, event) {
    if (verdict.effect === "allow") return noOpinion(verdict);
    return event === "PermissionRequest" ? permissionRequest(verdict) : preToolUse(verdict, "deny");
  },
};

function patchOrFile(input: unknown, cwd: string): GuardCall[] {
  const patch = findText(asRecord(input), "command");
  return patch === undefined
    ? [fileCall("write", input, cwd, ["file_path", "path"])]
    : patchCalls(patch, cwd);
}

const shell = command({ names: ["cmd"] });
const callsOf = readCalls(
  {
    Bash: shell,
    shell,
    exec_command: shell,
    local_shell: shell,
    apply_patch: (input, cwd) => patchCalls(readCommand(input, "patch", "input"), cwd),
    Edit: patchOrFile,
    Write: patchOrFile,
    view_image: (input, cwd) => [
      { kind: "client", name: "view_image", args: input },
      fileCall("read", input, cwd, ["path", "command", "file_path"]),
    ],
  },
  codex,
  serverPrefix("mcp__", "__"),
);
