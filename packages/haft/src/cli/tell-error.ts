import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { withNextCommands } from "./place/next-command.ts";
import { UsageError } from "./usage.ts";

/**
 * Says on standard error why a command failed, and, for programs that asked for JSON, the same as a line on standard output.
 * What is no error of Haft's goes on as it is: a stack is what helps with it.
 *
 * @returns the exit code
 */
export function tellError(thrown: unknown, asJson: boolean): number {
  if (thrown instanceof UsageError) {
    console.error(`haft: ${visible(thrown.message)}`);
    if (asJson) console.log(JSON.stringify({ error: "USAGE", message: thrown.message }));
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

/** Names of files, and what stands in them, are anybody's; several problems are several lines. */
function visible(text: string): string {
  return text.split("\n").map(escapeInvisible).join("\n");
}
