import { analyzeCommand, type CommandOutline } from "@haft/commands";
import { commandToolError } from "../../errors.ts";

/** The program itself, also as a file that an interpreter or a package runner is given. */
const HAFT = /(?:^|\/)haft(?:\.[cm]?[jt]s)?$/;
/** What of `haft trust` decides nothing. */
const TELLING = new Set(["list", "show"]);
const HELP = /^(?:--help|-h)$/;
/** What a command would decide, as the end of a sentence. */
const WHAT = {
  approvals: "answer requests for approval",
  plugins: "change which plugins Haft loads",
  trust: "say which configurations are trusted",
};
/** Subcommands of `haft approvals` that decide something. */
const DECIDING = new Set(["answer", "revoke", "--watch", "-w"]);
/** Those of `haft plugins`; whatever is behind one is no other. */
const OF_PLUGINS: Readonly<Record<string, boolean>> = {
  add: true,
  remove: true,
  list: false,
  info: false,
  why: false,
  check: false,
};

/**
 * Tells an agent that answers a request for approval by itself, changes the plugins of its own host, or says what is to be trusted,
 * that this is not its to do. A courtesy and no boundary: whatever runs as the same user can do what that user can.
 *
 * @throws HaftError `EXEC_SELF_APPROVAL`
 */
export function refuseSelfApproval({ commands }: Pick<CommandOutline, "commands">): void {
  const decided = commands.map(({ argv }) => decidedBy(argv)).find((what) => what !== undefined);
  if (decided === undefined) return;
  throw commandToolError(
    "EXEC_SELF_APPROVAL",
    `This command would ${WHAT[decided]}. That is decided by the user, not by whoever asks.`,
  );
}

/** What is decided by it, if anything. */
function decidedBy(argv: readonly string[]): keyof typeof WHAT | undefined {
  const at = argv.findIndex((word) => HAFT.test(word));
  if (at < 0) return undefined;
  const [command, ...rest] = argv
    .slice(at + 1)
    .filter((word) => !word.startsWith("--") || DECIDING.has(word));
  if (command === "approve") return "approvals";
  if (command === "approvals") return rest.some((word) => DECIDING.has(word)) ? command : undefined;
  // A word that stands elsewhere may belong to an option.
  const isTold = TELLING.has(argv[argv.indexOf("trust", at) + 1] ?? "");
  if (command === "trust") return isTold || argv.some((word) => HELP.test(word)) ? undefined : command;
  const action = rest.find((word) => Object.hasOwn(OF_PLUGINS, word));
  return command === "plugins" && action !== undefined && OF_PLUGINS[action] ? command : undefined;
}

/** The same for a command that nobody needs a plan for. */
export async function refuseSelfApprovalIn(text: string, shell: string, cwd: string): Promise<void> {
  refuseSelfApproval(await analyzeCommand(text, { cwd, shell }));
}
