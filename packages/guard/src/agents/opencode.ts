import { asRecord } from "@haft/utils";
import { findText } from "../calls/fields.ts";
import { patchCalls } from "../calls/make-calls.ts";
import { command, fetchTool, files, filesOrCwd, readCalls, serverSeparator } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { moduleAnswer, modulePayload } from "./module-payload.ts";

const about = { id: "opencode", label: "opencode", event: "tool.execute.before" } as const;
const PATHS = ["filePath", "file_path", "path"];

/** The module denies by throwing. It cannot ask. */
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

function patched(input: unknown, cwd: string): GuardCall[] {
  return patchCalls(findText(asRecord(input), "patchText", "patch", "input") ?? "", cwd);
}

const callsOf = readCalls(
  {
    bash: command({ folder: ["workdir"] }),
    read: files("read", ...PATHS),
    write: files("write", ...PATHS),
    edit: files("edit", ...PATHS),
    multiedit: files("edit", ...PATHS),
    apply_patch: patched,
    patch: patched,
    glob: filesOrCwd("find", "path"),
    grep: filesOrCwd("grep", "path"),
    list: filesOrCwd("ls", "path"),
    webfetch: fetchTool,
  },
  opencode,
  // Both parts of a server tool can contain the separator.
  serverSeparator("_"),
);
