import type { RunRecord } from "@haft/core/kernel";
import { shellWord } from "@haft/utils";
import { nextCommand } from "../location/next-command.ts";

type Continued = Pick<RunRecord, "runId" | "openedWith">;

/** Other runs need a repeated call. */
const CONTINUES = ["run", "chat"];

/**
 * Returns the command with the run's options. `undefined` for runs of commands such as `haft serve`, and of other programs: this
 * command line does not have their rules and plugins.
 */
export function resumeCommand({ runId, openedWith }: Continued): string | undefined {
  if (openedWith === undefined) return undefined;
  const { command, options } = parseOpeningCommand(openedWith);
  if (!CONTINUES.includes(command)) return undefined;
  return nextCommand([`haft ${command} --resume`, ...[runId, ...options].map(shellWord)].join(" "));
}

export function parseOpeningCommand(words: readonly string[]): {
  command: string;
  options: readonly string[];
} {
  const [first = "-"] = words;
  const isOption = first.startsWith("-");
  return { command: isOption ? "run" : first, options: withoutThisFolder(isOption ? words : words.slice(1)) };
}

function withoutThisFolder(options: readonly string[]): readonly string[] {
  const at = options.indexOf("--workspace");
  return at < 0 || options[at + 1] !== process.cwd() ? options : options.toSpliced(at, 2);
}
