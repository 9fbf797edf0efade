import { baseName, isSystemName } from "../../words/names.ts";

export const MAX_WRAPPERS = 4;

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;
/** Variables that only change how results look. */
const HARMLESS_ASSIGNMENT =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI)=[\w.:@,+-]*$|^TZ=[A-Z][\w/+-]*$/;

export function isDisplayAssignment(text: string): boolean {
  return HARMLESS_ASSIGNMENT.test(text);
}

interface Wrapper {
  /** Patterns for whole words; two patterns for an option with a separate value. */
  options: readonly (readonly RegExp[])[];
  operands?: readonly RegExp[];
}

/**
 * These only start the command, with other settings or a time limit. Excluded: `nohup` creates nohup.out and `flock` its lock, which the
 * command's permissions do not cover. `stdbuf` loads its own library into the command.
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

/** Returns the number of wrapper words before the command; `undefined` for unknown wrappers and options. */
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
  if (next === undefined || next === "" || next.startsWith("-") || next.includes("=")) return undefined;
  return at;
}

function matching(options: Wrapper["options"], words: readonly string[]): number {
  const found = options.find((option) => option.every((pattern, at) => pattern.test(words[at] ?? "")));
  return found?.length ?? 0;
}
