import { baseName, isSystemName } from "../../words/names.ts";

const NUMBER = /^\d{1,9}$/;
/** Words it takes itself: one by one, two where a value follows in a word of its own. None reads a file, or asks anybody. */
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

/** The words of `xargs` in front of the command that it starts, and the sign in that command for what it reads. */
export function readXargs(argv: readonly string[]): { length: number; sign: string | undefined } | undefined {
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
