const PLAIN = /^[\w./+-]+$/;

/** Covers a program without arguments only if the prefix is one word. */
export function prefixPatterns(prefix: string): string[] {
  const text = prefix.trim();
  return /\s/.test(text) ? [text, `${text} *`] : [`${text} *`];
}

/** A `*` in the pattern also matches spaces. */
export function restrictingPatterns(pattern: string): string[] {
  const text = pattern.trim().replaceAll("?", "*").replaceAll(/ {2,}/g, " ");
  const [program = "", ...rest] = text.split(" ");
  if (program === "*" && rest.length === 0) return ["*"];
  // A star in the program name can match the first space.
  const over =
    program.includes("*") && rest.length > 0 ? [[program.replace("*", "* *"), ...rest].join(" ")] : [];
  // A star after a space can match no word.
  const bare = text.endsWith(" *") && rest.length > 1 ? [text, ...over].map((each) => each.slice(0, -2)) : [];
  return [text, ...bare, ...over];
}

/**
 * Allows at most the lines that match.
 *
 * @returns the rest of a sentence
 */
export function allowingPatterns(pattern: string): string[] | { why: string } {
  const text = pattern.trim();
  if (text.includes("?")) return { why: "patterns of commands do not support ?" };
  const [program = "", ...rest] = text.split(" ");
  if (!PLAIN.test(program)) return { why: "it does not name the program" };
  if (program.includes("/") && !program.startsWith("/"))
    return { why: "a program needs a name or an absolute path" };
  if (rest.length === 0) return { why: "a program without arguments would also allow all its arguments" };
  // `git *` includes `git` here, but `git * *` does not there.
  const isShort = rest.length === 2 && /^\*+$/.test(rest[0]!);
  const bare = text.endsWith(" *") && rest.length > 1 && !isShort ? [text.slice(0, -2)] : [];
  return [text, ...bare];
}

export function toProgramPatterns(pattern: string): string[] {
  const [program = ""] = pattern.trim().split(/\s/, 1);
  return /^[\w.+-]+$/.test(program) ? [`exec(${program})`] : ["exec"];
}

/** An ambiguous pattern gets the prefix `command:`. */
export function commandSelectors(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => (/[:=,]/.test(pattern) ? `exec(command:${pattern})` : `exec(${pattern})`));
}
