import { requireKnownOptions } from "@haft/core/internal";
import type { CommandTemplate } from "./command-template.ts";
import { readScript } from "./read/read-script.ts";
import type { ScriptContext } from "./read/script-context.ts";
import { baseName } from "./words/names.ts";
import { SHELLS } from "./words/shells.ts";

/**
 * Sets the folder, shell and machine for which a text is analyzed.
 *
 * @example
 * ```ts run
 * import { type AnalyzeOptions, analyzeCommand } from "@haft/commands";
 *
 * const options: AnalyzeOptions = {
 *   cwd: "/work",
 *   shell: "bash",
 *   context: {
 *     variables: { TARGET: "dist" },
 *     list: async (folder) => (folder === "/work" ? ["a.txt", "b.txt"] : undefined),
 *     getType: async () => "file",
 *   },
 * };
 * const { commands } = await analyzeCommand("cp *.txt $TARGET", options);
 * commands[0]?.argv; // => ["cp", "a.txt", "b.txt", "dist"]
 * ```
 */
export interface AnalyzeOptions {
  /** Names the absolute folder, with links resolved. */
  cwd: string;
  /** Names the shell, or its path. Default `sh`. */
  shell?: string;
  /** Describes the machine. Without it, patterns and variables are words that are unknown before the line runs. */
  context?: ScriptContext;
  /** Names the system, as in `process.platform`. On `darwin` more lines are unclear: its bash and sed differ. */
  platform?: string;
}

const MAX_LENGTH = 128 * 1024;
/** Each searches the rest of the text. */
const MAX_HERE_DOCUMENTS = 64;
/** Line ends that other shells do not know, and characters that reorder the display. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Parses a command line. It runs nothing, never throws, and reads facts about the machine only through `context`. Any uncertainty makes the
 * result `unclear`, with the reason.
 *
 * @example
 * ```ts run
 * import { analyzeCommand } from "@haft/commands";
 *
 * const { commands } = await analyzeCommand("nice git status | head -n 20", { cwd: "/work" });
 * commands.map(({ name, through }) => [name, ...through]); // => [["git", "nice"], ["head"]]
 * const { unclear } = await analyzeCommand("git log $name", { cwd: "/work" });
 * unclear; // => "git gets ${name}, not known before it runs, and words can have it do more"
 * ```
 */
export async function analyzeCommand(text: string, options: AnalyzeOptions): Promise<CommandTemplate> {
  requireKnownOptions<AnalyzeOptions>("analyzeCommand", options, {
    cwd: true,
    shell: true,
    context: true,
    platform: true,
  });
  const { cwd, context, platform } = options;
  const shell = baseName(options.shell ?? "sh");
  const outline = {
    text,
    cwd,
    shell,
    ...(platform !== undefined && { platform }),
    commands: [],
    shape: [],
    files: [],
  };
  const refusal =
    refuseText(text) ?? (SHELLS.has(shell) ? undefined : `${shell} reads commands in its own way`);
  if (refusal !== undefined) return { ...outline, unclear: refusal };
  const { parse } = await import("unbash");
  try {
    const script = parse(text);
    const read = await readScript(script, text, { cwd, shell, context, platform, parse });
    const error = script.errors?.[0];
    if (error === undefined) return { ...outline, ...read };
    const { tied: _, ...rest } = read;
    return {
      ...outline,
      ...rest,
      unclear: `it is not complete or not correct (${error.message})`,
    };
  } catch {
    return { ...outline, unclear: "it cannot be parsed" };
  }
}

function refuseText(text: string): string | undefined {
  if (text.trim() === "") return "it contains no command";
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (CONTROL.test(text) || !text.isWellFormed()) return "it contains control characters";
  if (DIRECTION.test(text)) return "it contains characters that change the direction of text";
  if (text.split("<<").length > MAX_HERE_DOCUMENTS) return "it contains too many here-documents";
  return undefined;
}
