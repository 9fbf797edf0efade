import { membersOf } from "@haft/core/internal";
import { commandIn } from "../calls/fields.ts";
import { commandCalls, fileCall, unknownCalls } from "../calls/make-calls.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { moduleAnswer, modulePayload } from "./module-payload.ts";

const about = { id: "pi", label: "pi", event: "tool_call" } as const;

/** pi: an extension in its process, which can ask where it has a screen. */
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

function callsOf(name: string, input: unknown, cwd: string): GuardCall[] {
  const args = membersOf(input);
  switch (name) {
    // A person's own command, which comes as an event of its own.
    case "user_bash":
    case "bash":
      return commandCalls(commandIn(input), cwd);
    case "read":
    case "write":
    case "edit":
      return [fileCall(name, args, cwd, ["path", "file_path"])];
    case "grep":
    case "find":
    case "ls":
      return [fileCall(name, args, cwd, ["path"], cwd)];
    default:
      return unknownCalls(name, input, cwd);
  }
}
