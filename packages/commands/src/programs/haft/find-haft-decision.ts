import { HAFT_PROGRAM, isHaftFile } from "./haft-files.ts";

/** The words make these subcommands only report. */
const DECIDING: Readonly<Record<string, ReadonlySet<string>>> = {
  approvals: new Set(["list", "grants", "show"]),
  config: new Set(["show", "check", "schema", "trusted"]),
  guard: new Set(["status", "log", "try", "hook", "suggest"]),
  inspect: new Set(),
  ledger: new Set(["list", "show", "export", "check"]),
  mcp: new Set(["list"]),
  nodes: new Set(["list", "find", "offer", "hosts"]),
  plugins: new Set(["list", "info", "why", "check"]),
};
/** Without other words, these only report. */
const REPORTS_ALONE: ReadonlySet<string> = new Set(["approvals", "plugins", "nodes", "mcp", "ledger"]);
/** Subcommands that decide with one of these options. */
const WITH_OPTION: Readonly<Record<string, RegExp>> = {
  approvals: /^(?:--watch|-w)$/,
  serve: /^--inspect(?:=|$)/,
  chat: /^--inspect(?:=|$)/,
  ledger: /^--repair$/,
  plugins: /^--fix$/,
};
/** Their operands are not subcommands. */
const OTHERS = /^(?:run|chat|serve|explain|tools|policy|sandbox|undo|help)$/;
const SWITCHES = /^(?:-+|--(?:json|no-config|probe|follow|all))$/;
const HELP = /^(?:--help|-h)$/;

/**
 * Returns the subcommand of Haft with which a command would change the permissions of agents; `undefined` for other commands.
 *
 * @param cwd Finds files of Haft. Without it, as in a sandbox, no files are checked.
 * @example
 * ```ts run
 * import { findHaftDecision } from "@haft/commands";
 *
 * findHaftDecision(["npx", "haft", "approve", "k3fw9ab2", "allow-once"]); // => "approvals"
 * findHaftDecision(["haft", "approvals", "list"]); // => undefined
 * ```
 */
export function findHaftDecision(argv: readonly string[], cwd?: string): string | undefined {
  const named = argv.findIndex((word) => HAFT_PROGRAM.test(word));
  if (named >= 0) return decidedBy(argv.slice(named + 1));
  if (cwd === undefined) return undefined;
  // The first word is a program.
  const isSubcommand = (word: string, at: number) =>
    at > 0 && (Object.hasOwn(DECIDING, word) || Object.hasOwn(WITH_OPTION, word));
  const at = argv.findIndex(isSubcommand);
  const decided = at < 0 ? undefined : decidedBy(argv.slice(at));
  if (decided === undefined) return undefined;
  return argv.slice(0, at).some((word) => isHaftFile(word, cwd)) ? decided : undefined;
}

function decidedBy(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  // Package runners precede the program.
  const haftArgs = end > 0 ? args.slice(0, end) : args;
  if (haftArgs.some((word) => HELP.test(word))) return undefined;
  // Values of other options may be any word.
  const words = args.filter((word) => !SWITCHES.test(word));
  const at = words.findIndex(
    (word) => word === "approve" || Object.hasOwn(DECIDING, word) || OTHERS.test(word),
  );
  const [command = "", action] = at < 0 ? [] : words.slice(at);
  if (command === "approve") return "approvals";
  if (haftArgs.some((word) => WITH_OPTION[command]?.test(word))) return command;
  const reports = DECIDING[command];
  if (reports === undefined) return undefined;
  const isReport = action === undefined ? REPORTS_ALONE.has(command) : reports.has(action);
  return isReport ? undefined : command;
}
