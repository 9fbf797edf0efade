import {
  analyzeCommand,
  type AnalyzeOptions,
  baseName,
  type CommandOutline,
  type Ground,
  resolveOutline,
  writesWhatItRuns,
} from "@haft/commands";
import { type CommandSubject, type PlannedCommand, withoutUndefined } from "@haft/core";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { pathSubject } from "./path-subjects.ts";
import { realPathOf } from "./real-path.ts";

export interface GivenLine {
  text: string;
  /** Absolute. */
  cwd: string;
  shell: string;
}

export interface LineGround {
  /** Variables of the hook's process, which the agent started as it starts commands. */
  env: Readonly<Record<string, string | undefined>>;
  /** The project's folder: absolute, links resolved. */
  root: string;
  /** What is typed into a command that runs is asked about by nobody. */
  typesUnseen: boolean;
}

/** What a command line would run, worked out without running any of it. */
export async function commandSubject(
  { text, cwd, shell }: GivenLine,
  { env, root, typesUnseen }: LineGround,
): Promise<{ subject: CommandSubject; outline: CommandOutline }> {
  const options: AnalyzeOptions = { cwd: realPathOf(cwd), shell, ground: groundOf(env) };
  const read = await analyzeCommand(text, { ...options, platform: process.platform });
  const outline = resolveOutline(read, (program) => programPath(program, env["PATH"] ?? ""));
  const unclear =
    outline.unclear ??
    writesWhatItRuns(outline, realPathOf, existsSync) ??
    (typesUnseen ? typedUnseen(outline) : undefined);
  const redirects = outline.files.map(({ path, access }) => pathSubject(realPathOf(path), access, root));
  const subject = withoutUndefined<CommandSubject>({
    text,
    cwd: options.cwd,
    shell,
    commands: outline.commands.map(plannedOf),
    redirects: unclear === undefined && redirects.length > 0 ? redirects : undefined,
    unclear,
  });
  return { subject, outline };
}

function plannedOf(command: CommandOutline["commands"][number]): PlannedCommand {
  const { name, path, builtin, argv, open, through, harmless, notHarmless, carrier } = command;
  return withoutUndefined({ name, argv, open, through, path, builtin, harmless, notHarmless, carrier });
}

/** Variables that are the same wherever a command of this user is started. Others may be set by what ran before. */
const STABLE = ["HOME", "USER", "LOGNAME"];

function groundOf(env: LineGround["env"]): Ground {
  const known = STABLE.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    variables: Object.fromEntries(known),
    async list(folder) {
      try {
        return readdirSync(folder);
      } catch (thrown) {
        return (thrown as NodeJS.ErrnoException).code === "ENOENT" ? [] : undefined;
      }
    },
    async typeOf(path) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      return found.isDirectory() ? "folder" : found.isFile() ? "file" : undefined;
    },
  };
}

function programPath(program: string, searched: string): string | undefined {
  if (program.includes("/")) return isProgram(program) ? realPathOf(program) : undefined;
  for (const folder of searched.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    // As it is: what is found has its real path told.
    const path = `${folder}/${program}`;
    if (isProgram(path)) return realPathOf(path);
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    // Most folders have no such program, and asking this way says so without an error.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Programs that take commands from whoever types, whatever their arguments. */
const TYPED =
  /^(?:ssh|telnet|nc|ncat|socat|vim?|nvim|emacs|nano|ed|ex|less|more|man|top|htop|gdb|lldb|s?ftp|psql|mysql|mariadb|sqlite3|redis-cli|mongo(?:sh)?|irb|ghci|tmux|screen|script|expect|dc|su|fish|zsh|pwsh)$/;
const INTERACTIVE = /^-[A-Za-z]*i|^--(?:interactive|repl)$/;

/**
 * Why it is not known what a line runs where typing into running commands is asked about by nobody, as the rest of a
 * sentence; nothing where it cannot be typed into, as far as that is known.
 */
function typedUnseen({ commands }: Pick<CommandOutline, "commands">): string | undefined {
  for (const { name, argv, carrier, scripts } of commands) {
    const program = baseName(name);
    const words = argv.slice(1);
    const isBare =
      carrier !== undefined && scripts.length === 0 && words.every((word) => word.startsWith("-"));
    const asksForIt = carrier !== undefined && words.some((word) => INTERACTIVE.test(word));
    if (TYPED.test(program) || isBare || asksForIt)
      return `what is typed into ${program} later is asked about by nobody`;
  }
  return undefined;
}
