import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/utils";
import { withNextCommands } from "./location/next-command.ts";
import { UsageError } from "./usage.ts";

/** With JSON, also prints a line to standard output. Rethrows foreign errors for their stack. */
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
  const fixed = { error: code, message, fix };
  if (asJson) console.log(JSON.stringify({ ...fixed, ...details, ...fixed }));
  return 1;
}

/** Errors of `process.cwd()` and `os.homedir()`. */
const NOWHERE: Readonly<Record<string, string>> = {
  uv_cwd:
    "The current folder was deleted or cannot be entered. Change to another folder (cd), and run the command there.",
  uv_os_homedir:
    "HOME is not set, and the system knows no home folder of this user. Set HOME to an absolute path.",
};

function syscallOf(thrown: unknown): string {
  return String((Object(thrown) as NodeJS.ErrnoException).syscall);
}

export function wantsJson([name, ...rest]: readonly string[]): boolean {
  const end = rest.indexOf("--");
  const options = end < 0 ? rest : rest.slice(0, end);
  const isRequested = options.includes("--json") || (name === "tools" && options.includes("--follow"));
  return name !== "run" && (name === "--json" || isRequested);
}

/** File names and contents are untrusted. */
function visible(text: string): string {
  return text.split("\n").map(escapeInvisible).join("\n");
}
