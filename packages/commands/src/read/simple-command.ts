import { withoutUndefined } from "@haft/utils";
import type { TemplateCommand, Redirect } from "../command-template.ts";
import { takesAnyArguments } from "../programs/any-arguments.ts";
import { findBuiltin } from "../programs/builtins.ts";
import { findLauncher } from "../programs/index.ts";
import type { ProgramLauncher } from "../programs/launcher.ts";
import { isSafeBinCall, describeUnsafeCall } from "../programs/safe-bins.ts";
import { listSources } from "../programs/sources.ts";
import { isHarmlessVariable } from "../programs/variables.ts";
import { MAX_WRAPPERS, wrapperLength } from "../programs/wrappers/wrappers.ts";
import { baseName, isSystemName, locateFile, refuseName, tableNames } from "../words/names.ts";
import type { ExpandedWord } from "./expand-word.ts";
import { findShellText } from "./read-shell-text.ts";
import type { ShellText } from "./state.ts";

/** These also exist as programs. */
const HAS_PROGRAM = new Set(["true", "false", "echo", "printf", "pwd", "test", "["]);

/** Files of their folder can name programs: settings, hooks, filters. */
const CONFIGURED = new Set(["git", "hg", "svn", "curl", "wget", "rg", "bat"]);

export interface SimpleCommand {
  words: readonly ExpandedWord[];
  redirects: readonly Redirect[];
  assignments?: TemplateCommand["assignments"];
  /** Earlier commands exported these. */
  exports?: TemplateCommand["assignments"];
  cwd: string;
  platform: string | undefined;
  /** The reserved word `time` precedes it. */
  timed?: boolean;
  /** This program starts it for found files. */
  startedBy?: string;
  expanded?: boolean;
}

export interface ParsedCommand {
  command: TemplateCommand;
  unclear?: string;
  tied: boolean;
  inner?: { at: number; command: SimpleCommand };
  shellText?: ShellText;
}

export function parseSimpleCommand(simple: SimpleCommand): ParsedCommand {
  const { redirects, cwd, platform, assignments: own = [], exports = [], startedBy } = simple;
  const words = simple.words.map(({ text }) => text);
  const { wrappers, rest: argv, fed } = unwrap(words);
  const taken = words.length - argv.length;
  const given = simple.words.slice(taken);
  const name = argv[0] ?? "";
  const known = findBuiltin(argv);
  const isWrapped = wrappers.length > 0 || simple.timed === true || startedBy !== undefined;
  // After a wrapper it is a program.
  const builtin = isWrapped ? undefined : known;
  // Builtins only have the values that are inserted into their words.
  const inherited = builtin === undefined ? exports : [];
  const names = new Set(own.map((one) => one.name));
  const assignments = [...inherited.filter((one) => !names.has(one.name)), ...own];
  const launcher = findLauncher(dropExecWords(argv), platform);
  const open = fed || startedBy !== undefined || given.some(({ fill }) => fill !== undefined);
  const isHarmless = builtin === undefined ? !open && isHarmlessProgram(argv) : "harmless" in builtin;
  const notHarmless =
    builtin === undefined ? describeUnsafeCall([baseName(name), ...argv.slice(1)]) : undefined;
  const runs = builtin === undefined ? [...wrappers.map(([program = ""]) => program), name] : [];
  const through = wrappers.map(([program = ""]) => program);
  const command: TemplateCommand = withoutUndefined({
    name,
    argv,
    through: [...(startedBy === undefined ? [] : [startedBy]), ...(simple.timed ? ["time"] : []), ...through],
    wrappers,
    cwd,
    assignments,
    fills: new Map(given.flatMap(({ fill }, at) => (fill === undefined ? [] : [[at, fill] as const]))),
    expanded: simple.expanded === true || undefined,
    open: open || undefined,
    redirects,
    programs: runs.map((program) => locate(program, cwd)),
    ...listCommandFiles(argv, cwd, launcher),
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
    (known !== undefined && "unclear" in known ? known.unclear : undefined) ??
    (simple.words.slice(0, taken + 1).some(({ fill }) => fill !== undefined)
      ? "it uses a value that is not known before it runs for the name of a program, or for words in front of one"
      : undefined) ??
    (open ? whyNotOpen(command, given) : undefined) ??
    whyNotSet(command);
  const shellText = uncertain === undefined ? findShellText(command) : undefined;
  const unclear = uncertain ?? (shellText === undefined ? launcher?.unclear : undefined);
  const tied = uncertain === undefined && launcher?.tied === true;
  const started = builtin === undefined ? readFindExec(argv) : undefined;
  const inner = started && { at: started.at, command: startedInside(started, name, simple) };
  return withoutUndefined({
    command: shellText === undefined ? command : { ...command, nested: true },
    tied,
    unclear,
    inner,
    shellText,
  });
}

/** `fed`: a wrapper adds words. */
function unwrap(words: readonly string[]) {
  const wrappers: string[][] = [];
  let rest = words;
  let fed = false;
  while (wrappers.length < MAX_WRAPPERS) {
    const xargs = readXargs(rest);
    const taken = xargs?.length ?? wrapperLength(rest);
    if (taken === undefined) break;
    fed ||= xargs !== undefined;
    wrappers.push(rest.slice(0, taken));
    rest = rest.slice(taken);
  }
  return { wrappers, rest, fed };
}

function startedInside({ inner }: FindExec, name: string, { cwd, platform }: SimpleCommand): SimpleCommand {
  return { words: inner.map((text) => ({ text })), redirects: [], cwd, platform, startedBy: name };
}

/** Returns the program's own words, without the command that `find` starts. */
export function dropExecWords(argv: readonly string[]): readonly string[] {
  return readFindExec(argv)?.own ?? argv;
}

const isFeeding = (name: string): boolean => /^(?:xargs|find)$/.test(baseName(name));

function whyNotOpen(
  { name, builtin, through }: TemplateCommand,
  given: readonly ExpandedWord[],
): string | undefined {
  const filled = given.find(({ fill }) => fill !== undefined);
  const source =
    filled === undefined ? `words from ${through.findLast(isFeeding)}` : filled.text.slice(0, 60);
  const why = `${name} gets ${source}, not known before it runs, and words can have it do more`;
  if (builtin !== true) return takesAnyArguments(name) ? undefined : why;
  if (name === "echo" || name === "true" || name === "false" || name === ":") return undefined;
  const isOneEach = given.every(({ isMany }) => isMany !== true);
  const isPlain = /^(?:test|\[)$/.test(name) || (name === "printf" && given[1]?.fill === undefined);
  return isOneEach && isPlain ? undefined : why;
}

function whyNotSet({ assignments, builtin, wrappers, argv }: TemplateCommand): string | undefined {
  const [program = argv] = wrappers;
  const odd = assignments.find(
    ({ name, value }) =>
      builtin === true || ![program, argv].every((words) => isHarmlessVariable(name, value, words)),
  );
  return odd && `it sets a variable (${odd.name}), by which ${baseName(argv[0] ?? "")} may do something else`;
}

export function listCommandFiles(
  argv: readonly string[],
  cwd: string,
  launcher: ProgramLauncher | undefined,
): Pick<TemplateCommand, "scripts" | "sources"> {
  if (launcher === undefined) return { scripts: [], sources: [] };
  const scripts = (launcher.scripts ?? []).map((script) => locateFile(script, cwd));
  return { scripts, sources: listSources(argv, cwd, launcher) };
}

function readsMore(name: string, launcher: ProgramLauncher | undefined): boolean {
  return launcher !== undefined || tableNames(name).some((one) => CONFIGURED.has(one));
}

function isHarmlessProgram(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  return isSystemName(name) && isSafeBinCall([baseName(name), ...args]);
}

/** The search path resolves bare names, and the file system `..`, because of links. */
function locate(program: string, cwd: string): string {
  return program.includes("/") ? locateFile(program, cwd) : program;
}

interface FindExec {
  own: readonly string[];
  inner: readonly string[];
  at: number;
}

/** Accepts one complete `-exec` that names its program. */
function readFindExec(argv: readonly string[]): FindExec | undefined {
  const [program = ""] = argv;
  if (!isSystemName(program) || baseName(program) !== "find") return undefined;
  const start = argv.indexOf("-exec");
  if (start < 0) return undefined;
  const end = argv.findIndex(
    (word, at) => at > start && (word === ";" || (word === "+" && argv[at - 1] === "{}")),
  );
  const inner = argv.slice(start + 1, end);
  if (end < 0 || inner.length === 0 || inner[0]?.includes("{}")) return undefined;
  return { own: [...argv.slice(0, start), ...argv.slice(end + 1)], inner, at: start + 1 };
}

const NUMBER = /^\d{1,9}$/;
/** Patterns for whole words; two patterns for an option with a separate value. No option reads a file or prompts. */
const OPTIONS: readonly (readonly RegExp[])[] = [
  [/^-[0rtx]+$/],
  [/^--(?:null|no-run-if-empty|verbose|exit)$/],
  [/^-[0rtx]*[nPLs]$/, NUMBER],
  [/^-[0rtx]*[nPLs]\d{1,9}$/],
  [/^--(?:max-args|max-procs|max-lines|max-chars)=\d{1,9}$/],
  [/^-d$/, /^(?:.|\\[nt0])$/],
  [/^-d(?:.|\\[nt0])$/],
  [/^-I$/, /^(?:\{\}|%|@|_)$/],
  [/^-I(?:\{\}|%|@|_)$/],
];

/** Returns the number of words before the command, and the replacement sign. */
function readXargs(argv: readonly string[]): { length: number; sign: string | undefined } | undefined {
  const [program = ""] = argv;
  if (!isSystemName(program) || baseName(program) !== "xargs") return undefined;
  let at = 1;
  let sign: string | undefined;
  for (;;) {
    const option = OPTIONS.find((words) => words.every((word, index) => word.test(argv[at + index] ?? "")));
    if (option === undefined) break;
    const [first = ""] = argv.slice(at);
    if (first.startsWith("-I")) sign = first === "-I" ? argv[at + 1] : first.slice(2);
    at += option.length;
  }
  const next = argv[at];
  if (next === undefined || next === "" || next.startsWith("-")) return undefined;
  if (sign !== undefined && next.includes(sign)) return undefined;
  return { length: at, sign };
}
