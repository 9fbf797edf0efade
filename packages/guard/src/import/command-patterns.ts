/** What stands before the first wildcard of a program's name, or the whole name where there is none. */
const PLAIN = /^[\w./+-]+$/;

/**
 * Entries of a policy for command lines that begin like this, word by word: the program alone, where nothing else was said, and with
 * more words behind.
 */
export function prefixPatterns(prefix: string): string[] {
  const text = prefix.trim();
  return /\s/.test(text) ? [text, `${text} *`] : [`${text} *`];
}

/**
 * Entries that hold back every command line that a pattern fits in which `*` stands for any characters, spaces too: they may hold
 * back more, and nothing less.
 */
export function restrictingPatterns(pattern: string): string[] {
  const text = pattern.trim().replaceAll("?", "*").replaceAll(/ {2,}/g, " ");
  const [program = "", ...rest] = text.split(" ");
  if (program === "*" && rest.length === 0) return ["*"];
  // A star in the name of the program may reach over the first space.
  const over =
    program.includes("*") && rest.length > 0 ? [[program.replace("*", "* *"), ...rest].join(" ")] : [];
  // A star behind a space may stand for no word at all.
  const bare = text.endsWith(" *") && rest.length > 1 ? [text, ...over].map((each) => each.slice(0, -2)) : [];
  return [text, ...bare, ...over];
}

/**
 * Entries that let through no command line that a pattern with `*` does not fit; none where that cannot be said.
 *
 * @returns why not, as the rest of a sentence, where there are none
 */
export function allowingPatterns(pattern: string): string[] | { why: string } {
  const text = pattern.trim();
  if (text.includes("?")) return { why: "? for one character is not known in commands" };
  const [program = "", ...rest] = text.split(" ");
  if (!PLAIN.test(program)) return { why: "the program is not named" };
  if (program.includes("/") && !program.startsWith("/"))
    return { why: "a program is named by its name, or by its whole path" };
  if (rest.length === 0) return { why: "a program alone would let through all of its arguments, too" };
  // `git *` here is also git alone, which `git * *` there is not.
  const isShort = rest.length === 2 && /^\*+$/.test(rest[0]!);
  const bare = text.endsWith(" *") && rest.length > 1 && !isShort ? [text.slice(0, -2)] : [];
  return [text, ...bare];
}

/** What is asked about where a rule for such commands cannot be written: its program, or every command. */
export function toProgramPatterns(pattern: string): string[] {
  const [program = ""] = pattern.trim().split(/\s/, 1);
  return /^[\w.+-]+$/.test(program) ? [`exec(${program})`] : ["exec"];
}

/** Selectors for commands; one with a colon, or that could be read as something else, says that it is about a command. */
export function commandSelectors(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => (/[:=,]/.test(pattern) ? `exec(command:${pattern})` : `exec(${pattern})`));
}
