import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/utils";
import { withNextCommands } from "./location/next-command.ts";
import { UsageError } from "./usage.ts";

/**
 * Says on standard error why a command failed, and, for programs that asked for JSON, the same as a line on standard output.
 * What is no error of Haft's goes on as it is: a stack is what helps with it.
 *
 * @returns the exit code
 */
export function reportError(thrown: unknown, asJson: boolean): number {
  const usage = thrown instanceof UsageError ? thrown.message : NOWHERE[syscallOf(thrown)];
  if (usage !== undefined) {
    console.error(`haft: ${visible(usage)}`);
    if (asJson) console.log(JSON.stringify({ error: "USAGE", message: usage }));
    return 2;
  }
  if (!HaftError.is(thrown)) throw thrown;
  const { code, message, details } = thrown;
  const fix = thrown.fix && withNextCommands(thrown.fix);
  console.error(`haft: ${visible(`${message}${fix === undefined ? "" : `\n${fix}`}`)} [${code}]`);
  // Whatever the details are called, these mean the same everywhere.
  const own = { error: code, message, fix };
  if (asJson) console.log(JSON.stringify({ ...own, ...details, ...own }));
  return 1;
}

/** Whatever asked for the current folder, or for that of the user. */
const NOWHERE: Readonly<Record<string, string>> = {
  uv_cwd:
    "The current folder is not there any more, or may not be entered. Go to one that is (cd), and start this there.",
  uv_os_homedir:
    "HOME is not set, and the system knows no home folder of this user. Set HOME to the absolute path of one.",
};

function syscallOf(thrown: unknown): string {
  return String((Object(thrown) as NodeJS.ErrnoException).syscall);
}

/** Whether a command line, its command first, asks for JSON. What `haft run` prints are answers, and nothing else. */
export function wantsJson([name, ...rest]: readonly string[]): boolean {
  const end = rest.indexOf("--");
  const options = end < 0 ? rest : rest.slice(0, end);
  const isAsked = options.includes("--json") || (name === "tools" && options.includes("--follow"));
  return name !== "run" && (name === "--json" || isAsked);
}

/** Names of files, and what stands in them, are anybody's; several problems are several lines. */
function visible(text: string): string {
  return text.split("\n").map(escapeInvisible).join("\n");
}
