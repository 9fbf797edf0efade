import { type CommandTemplate, findHaftDecision } from "@haft/commands";
import { commandToolError } from "../../errors.ts";

const WHAT: Readonly<Record<string, string>> = {
  approvals: "answer requests for approval",
  plugins: "change which plugins Haft loads",
  trust: "decide which configurations are trusted",
};
const OTHER = "decide what agents may do";

/**
 * This only gives an early message: the command always checks its parent processes.
 *
 * @param isHere whether the line names files of this machine
 * @throws `EXEC_SELF_APPROVAL`
 */
export function refuseSelfApproval({ commands }: Pick<CommandTemplate, "commands">, isHere: boolean): void {
  const decided = commands
    .map(({ argv, cwd }) => findHaftDecision(argv, isHere ? cwd : undefined))
    .find((what) => what !== undefined);
  if (decided === undefined) return;
  throw commandToolError(
    "EXEC_SELF_APPROVAL",
    `This command would ${WHAT[decided] ?? OTHER}. Only the user decides that.`,
  );
}
