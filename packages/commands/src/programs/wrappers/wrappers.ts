import { baseName, isSystemName } from "../../words/names.ts";

/** How many wrappers inside each other are looked through. */
export const MAX_WRAPPERS = 4;

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;
/** Variables that change how results look, and nothing else. */
const HARMLESS_ASSIGNMENT =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI)=[\w.:@,+-]*$|^TZ=[A-Z][\w/+-]*$/;

/** Whether `NAME=value` changes how results look, and nothing else. */
export function isDisplayAssignment(text: string): boolean {
  return HARMLESS_ASSIGNMENT.test(text);
}

interface Wrapper {
  /** Words it takes itself: one by one, each tested as a whole; two where a value follows in a word of its own. */
  options: readonly (readonly RegExp[])[];
  /** Words that have to follow the options. */
  operands?: readonly RegExp[];
}

/**
 * Those that do nothing but start the command, and otherwise or for less time. None that writes a file is among them:
 * `nohup` makes its nohup.out and `flock` its lock, which is nothing the command was allowed. `stdbuf` has the command
 * load a library, its own.
 */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { options: [[HARMLESS_ASSIGNMENT]] },
  nice: { options: [[/^-n$/, /^-?\d+$/], [/^-n-?\d+$/], [/^--adjustment=-?\d+$/], [/^--?\d+$/]] },
  stdbuf: {
    options: [
      [/^-[ioe]$/, /^(?:L|\d+[KMG]?)$/],
      [/^-[ioe](?:L|\d+[KMG]?)$/],
      [/^--(?:input|output|error)=(?:L|\d+[KMG]?)$/],
    ],
  },
  timeout: {
    options: [
      [/^-k$/, DURATION],
      [/^--kill-after=\d+(?:\.\d+)?[smhd]?$/],
      [/^-s$/, /^(?:SIG)?[A-Z0-9]+$/],
      [/^--signal=(?:SIG)?[A-Z0-9]+$/],
      [/^--(?:foreground|preserve-status|verbose)$/],
    ],
    operands: [DURATION],
  },
  time: { options: [[/^-p$/]] },
};

/**
 * The words of a wrapper in front of the command that it starts: how many, or `undefined` when this is no such wrapper
 * or it is not certain what it does.
 */
export function wrapperLength(argv: readonly string[]): number | undefined {
  const [program = ""] = argv;
  const name = baseName(program);
  const wrapper = isSystemName(program) && Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return undefined;
  let at = 1;
  for (let taken = 1; taken > 0; at += taken) taken = matching(wrapper.options, argv.slice(at, at + 2));
  for (const operand of wrapper.operands ?? []) {
    if (!operand.test(argv[at] ?? "")) return undefined;
    at += 1;
  }
  const next = argv[at];
  // An option it is not known to have, an assignment, or nothing to start.
  if (next === undefined || next === "" || next.startsWith("-") || next.includes("=")) return undefined;
  return at;
}

function matching(options: Wrapper["options"], words: readonly string[]): number {
  const found = options.find((option) => option.every((pattern, at) => pattern.test(words[at] ?? "")));
  return found?.length ?? 0;
}
