import { createHash } from "node:crypto";

/**
 * How the output looks, not what is done: another terminal must not make an approved command a new one. A program
 * that runs something because of one of these could be told to by any file as well.
 */
const LOOKS = /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/** The same for the same variables, in whatever order, looks aside. Shows nothing of their values. */
export function hashEnvironment(env: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(env)
    .filter(([name]) => !LOOKS.test(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
