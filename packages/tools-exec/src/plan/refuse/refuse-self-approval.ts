import { type CommandTemplate, findHaftDecision } from "@haft/commands";
import { commandToolError } from "../../errors.ts";

const WHAT: Readonly<Record<string, string>> = {
  approvals: "answer requests for approval",
  plugins: "change which plugins Haft loads",
  trust: "say which configurations are trusted",
};
const OTHER = "decide what agents may do";

/**
 * Tells an agent early that a command of Haft would decide what is the user's to decide. It goes by the words and files that the line
 * names. The command itself refuses by the processes above it, whatever the line looks like.
 *
 * @param isHere files of this machine are those that the line names
 * @throws HaftError `EXEC_SELF_APPROVAL`
 */
export function refuseSelfApproval({ commands }: Pick<CommandTemplate, "commands">, isHere: boolean): void {
  const decided = commands
    .map(({ argv, cwd }) => findHaftDecision(argv, isHere ? cwd : undefined))
    .find((what) => what !== undefined);
  if (decided === undefined) return;
  throw commandToolError(
    "EXEC_SELF_APPROVAL",
    `This command would ${WHAT[decided] ?? OTHER}. That is decided by the user, not by whoever asks.`,
  );
}
