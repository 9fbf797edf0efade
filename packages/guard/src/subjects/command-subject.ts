import {
  analyzeCommand,
  type AnalyzeOptions,
  baseName,
  type CommandTemplate,
  type ScriptContext,
  resolveTemplate,
  toPlannedCommand,
  findWrittenProgram,
} from "@haft/commands";
import type { CommandSubject } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { describeAgentStart } from "./agent-starts.ts";
import { pathSubject } from "./path-subjects.ts";
import { resolveRealPath } from "./real-path.ts";

export interface CommandLine {
  text: string;
  /** Absolute. */
  cwd: string;
  shell: string;
}

export interface CommandLineContext {
  /** Commands get these as well. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute, with resolved links. */
  root: string;
  hasUnreviewedStdin: boolean;
}

export async function commandSubject(
  { text, cwd, shell }: CommandLine,
  { env, root, hasUnreviewedStdin }: CommandLineContext,
): Promise<{ subject: CommandSubject; outline: CommandTemplate }> {
  const options: AnalyzeOptions = { cwd: resolveRealPath(cwd), shell, context: contextOf(env) };
  const read = await analyzeCommand(text, { ...options, platform: process.platform });
  const outline = resolveTemplate(read, (program) => programPath(program, env["PATH"] ?? ""));
  const unclear =
    outline.unclear ??
    findWrittenProgram(outline, resolveRealPath, existsSync) ??
    describeAgentStart(outline) ??
    (hasUnreviewedStdin ? typedUnseen(outline) : undefined);
  const redirects = outline.files.map(({ path, access }) => pathSubject(resolveRealPath(path), access, root));
  const subject = withoutUndefined<CommandSubject>({
    text,
    cwd: options.cwd,
    shell,
    commands: outline.commands.map(toPlannedCommand),
    redirects: unclear === undefined && redirects.length > 0 ? redirects : undefined,
    unclear,
  });
  return { subject, outline };
}

/** Earlier commands can set others. */
const STABLE = ["HOME", "USER", "LOGNAME"];

function contextOf(env: CommandLineContext["env"]): ScriptContext {
  const known = STABLE.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    variables: Object.fromEntries(known),
    exported: new Set(Object.keys(env)),
    async list(folder) {
      try {
        return readdirSync(folder);
      } catch (thrown) {
        return (thrown as NodeJS.ErrnoException).code === "ENOENT" ? [] : undefined;
      }
    },
    async getType(path) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      return found.isDirectory() ? "folder" : found.isFile() ? "file" : undefined;
    },
  };
}

function programPath(program: string, searched: string): string | undefined {
  if (program.includes("/")) return isProgram(program) ? resolveRealPath(program) : undefined;
  for (const folder of searched.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = `${folder}/${program}`;
    if (isProgram(path)) return resolveRealPath(path);
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const TYPED =
  /^(?:ssh|telnet|nc|ncat|socat|vim?|nvim|emacs|nano|ed|ex|less|more|man|top|htop|gdb|lldb|s?ftp|psql|mysql|mariadb|sqlite3|redis-cli|mongo(?:sh)?|irb|ghci|tmux|screen|script|expect|dc|su|fish|zsh|pwsh)$/;
const INTERACTIVE = /^-[A-Za-z]*i|^--(?:interactive|repl)$/;

/** Returns why later input would not be reviewed, as the rest of a sentence. */
function typedUnseen({ commands }: Pick<CommandTemplate, "commands">): string | undefined {
  for (const { name, argv, carrier, scripts } of commands) {
    const program = baseName(name);
    const words = argv.slice(1);
    const isBare =
      carrier !== undefined && scripts.length === 0 && words.every((word) => word.startsWith("-"));
    const asksForIt = carrier !== undefined && words.some((word) => INTERACTIVE.test(word));
    if (TYPED.test(program) || isBare || asksForIt) return `later input to ${program} is not reviewed`;
  }
  return undefined;
}
