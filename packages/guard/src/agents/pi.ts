import { command, files, filesOrCwd, readCalls } from "../calls/tool-table.ts";
import type { GuardAgent } from "../contract/agent.ts";
import { moduleAnswer, modulePayload } from "./module-payload.ts";

const about = { id: "pi", label: "pi", event: "tool_call" } as const;

export const pi: GuardAgent = {
  id: about.id,
  label: about.label,
  clientTools: {},
  read: (payload, context) => modulePayload(payload, about, callsOf, context),
  asks: ({ attended }) => attended,
  answer: (verdict) => {
    const { reason } = verdict;
    return moduleAnswer(verdict, { confirm: { title: "Haft", text: reason } }, { block: true, reason });
  },
};

const callsOf = readCalls(
  {
    bash: command(),
    // A command of the person.
    user_bash: command(),
    read: files("read", "path", "file_path"),
    write: files("write", "path", "file_path"),
    edit: files("edit", "path", "file_path"),
    grep: filesOrCwd("grep", "path"),
    find: filesOrCwd("find", "path"),
    ls: filesOrCwd("ls", "path"),
  },
  pi,
);
