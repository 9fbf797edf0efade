import { withoutUndefined } from "@haft/core";
import type { OutlinedCommand } from "./outline.ts";
import { builtinOf } from "./programs/builtins.ts";
import { launcherOf } from "./programs/index.ts";
import type { Launcher } from "./programs/launcher.ts";
import { whyNotSafe, isSafeBinCall } from "./programs/safe-bins.ts";
import { sourcesOf } from "./programs/sources.ts";
import { MAX_WRAPPERS, wrapperLength } from "./programs/wrappers.ts";
import { baseName, isSystemName, locateFile, refuseName, tableNames } from "./words/names.ts";

/** What the shell does itself, and what is a program as well. */
const HAS_PROGRAM = new Set(["true", "false", "echo", "printf", "pwd", "test", "["]);

/** No launchers, and yet files of their folder can name programs for them: settings, hooks, filters. */
const CONFIGURED = new Set(["git", "hg", "svn", "curl", "wget", "rg", "bat"]);

/** Literal words and where they would run. */
export interface SimpleCommand {
  words: readonly string[];
  redirects: readonly string[];
  cwd: string;
  /** The reserved word `time` stands in front of it, in a shell that has it. */
  timed?: boolean;
}

/** What one simple command would run, and why that is not certain if it is not. */
export function outlineCommand(simple: SimpleCommand): {
  command: OutlinedCommand;
  unclear?: string;
  tied: boolean;
} {
  const { words, redirects, cwd } = simple;
  const wrappers: string[][] = [];
  let argv = words;
  for (let taken = wrapperLength(argv); taken !== undefined; taken = wrapperLength(argv)) {
    if (wrappers.length === MAX_WRAPPERS) break;
    wrappers.push(argv.slice(0, taken));
    argv = argv.slice(taken);
  }
  const name = argv[0] ?? "";
  const known = builtinOf(argv);
  const isWrapped = wrappers.length > 0 || simple.timed === true;
  // Behind a wrapper it is a program, even where the shell has one of the same name.
  const builtin = isWrapped ? undefined : known;
  const launcher = launcherOf(argv);
  const isHarmless = builtin === undefined ? isHarmlessProgram(argv) : "harmless" in builtin;
  const notHarmless = builtin === undefined ? whyNotSafe([baseName(name), ...argv.slice(1)]) : undefined;
  const runs = builtin === undefined ? [...wrappers.map(([program = ""]) => program), name] : [];
  const command: OutlinedCommand = withoutUndefined({
    name,
    argv,
    through: [...(simple.timed ? ["time"] : []), ...wrappers.map(([program = ""]) => program)],
    wrappers,
    cwd,
    redirects,
    programs: runs.map((program) => locate(program, cwd)),
    ...filesOf(argv, cwd, launcher),
    builtin: builtin && true,
    harmless: isHarmless || undefined,
    notHarmless,
    carrier: launcher?.reason,
    readsMore: readsMore(name, launcher) || undefined,
  });
  const uncertain =
    (builtin === undefined ? refuseName(name) : undefined) ??
    (wrapperLength(argv) === undefined ? undefined : "it has too many wrappers inside each other") ??
    (isWrapped && known !== undefined && !HAS_PROGRAM.has(name)
      ? `${name} is no program for a wrapper`
      : undefined) ??
    (known !== undefined && "unclear" in known ? known.unclear : undefined);
  const unclear = uncertain ?? launcher?.unclear;
  const tied = uncertain === undefined && launcher?.tied === true;
  return withoutUndefined({ command, tied, unclear });
}

/** The files that decide what a launcher does, as far as they are known. */
export function filesOf(
  argv: readonly string[],
  cwd: string,
  launcher: Launcher | undefined,
): Pick<OutlinedCommand, "scripts" | "sources"> {
  if (launcher === undefined) return { scripts: [], sources: [] };
  const scripts = (launcher.scripts ?? []).map((script) => locateFile(script, cwd));
  return { scripts, sources: sourcesOf(argv, cwd, launcher) };
}

function readsMore(name: string, launcher: Launcher | undefined): boolean {
  return launcher !== undefined || tableNames(name).some((one) => CONFIGURED.has(one));
}

function isHarmlessProgram(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  return isSystemName(name) && isSafeBinCall([baseName(name), ...args]);
}

/** Bare names stay what they are: they are searched for. `..` is left to the file system, for the sake of links. */
function locate(program: string, cwd: string): string {
  return program.includes("/") ? locateFile(program, cwd) : program;
}
