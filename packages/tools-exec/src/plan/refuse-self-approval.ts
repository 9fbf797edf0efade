import { analyzeCommand, type CommandOutline } from "@haft/commands";
import { commandToolError } from "../errors.ts";

/** The program itself, also as a file that an interpreter or a package runner is given. */
const HAFT = /(?:^|\/)haft(?:\.[cm]?[jt]s)?$/;
/** Subcommands of `haft approvals` that decide something. */
const DECIDING = new Set(["answer", "revoke", "--watch", "-w"]);

/**
 * Tells an agent that answers a request for approval by itself that this is not its to do. A courtesy and no
 * boundary: whatever runs as the same user can do what that user can.
 *
 * @throws HaftError `EXEC_SELF_APPROVAL`
 */
export function refuseSelfApproval({ commands }: Pick<CommandOutline, "commands">): void {
  if (!commands.some(({ argv }) => decides(argv))) return;
  throw commandToolError(
    "EXEC_SELF_APPROVAL",
    "This command would answer requests for approval. Those are decided by the user, not by whoever asks.",
  );
}

function decides(argv: readonly string[]): boolean {
  const at = argv.findIndex((word) => HAFT.test(word));
  if (at < 0) return false;
  const [command, ...rest] = argv
    .slice(at + 1)
    .filter((word) => !word.startsWith("--") || DECIDING.has(word));
  if (command === "approve") return true;
  return command === "approvals" && rest.some((word) => DECIDING.has(word));
}

/** The same for a command that nobody needs a plan for. */
export async function refuseSelfApprovalIn(text: string, shell: string, cwd: string): Promise<void> {
  refuseSelfApproval(await analyzeCommand(text, { cwd, shell }));
}
