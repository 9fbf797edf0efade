import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import type { GrepToolInput } from "./grep-schema.ts";

/** What to look for, as plain data: it may travel to a thread. */
export type Query = { kind: "literal"; text: string } | { kind: "regex"; source: string; flags: string };

/** Patterns are matched against single lines, so `.` may match whatever a line holds. */
const FLAGS = "su";

/** Reads a pattern; one without special characters is searched for as it is. */
export function parseQuery(
  pattern: string,
  { literal = false, ignoreCase = false }: Pick<GrepToolInput, "literal" | "ignoreCase">,
): Query {
  if (/[\r\n]/.test(pattern)) {
    const fix = "Search for one line's part of it.";
    throw invalid(pattern, "it holds a line break, and lines are searched one by one", fix);
  }
  const inline = literal ? null : /^\(\?i\)/.exec(pattern);
  const bare = inline === null ? pattern : pattern.slice(inline[0].length);
  const source = literal ? bare : withPosixClasses(bare, pattern);
  const anyCase = ignoreCase || inline !== null;
  if (literal || !/[\\^$.*+?()[\]{}|]/.test(source)) {
    return anyCase
      ? { kind: "regex", source: escapeRegex(source), flags: `${FLAGS}i` }
      : { kind: "literal", text: source };
  }
  const flags = anyCase ? `${FLAGS}i` : FLAGS;
  // Strict first: it knows \p{…} and whole characters. Then as lenient as JavaScript is by default.
  const strict = problemOf(source, flags);
  if (strict === undefined) return { kind: "regex", source, flags };
  const lenient = flags.replace("u", "");
  if (problemOf(source, lenient) === undefined) return { kind: "regex", source, flags: lenient };
  throw invalid(pattern, strict, "Correct it, or set literal=true to search for exactly these characters.");
}

/** Spells out `[[:alpha:]]` and its like, which JavaScript would take for the letters of the name. */
function withPosixClasses(source: string, pattern: string): string {
  let inClass = false;
  return source.replaceAll(/\\.|\[:\^?[A-Za-z]+:\]|[[\]]/gs, (token) => {
    if (token === "[" || (!inClass && token.startsWith("[:"))) {
      const opens = !inClass;
      inClass = true;
      // `[:alpha:]` alone is one bracket that holds these letters: it is certainly not what was meant.
      if (opens && token !== "[") {
        const fix = `Write [${token}].`;
        throw invalid(pattern, `${token} is a class only within another pair of brackets`, fix);
      }
      return token;
    }
    if (token === "]") inClass = false;
    if (!token.startsWith("[:")) return token;
    const name = token.slice(2, -2);
    if (!Object.hasOwn(CLASSES, name))
      throw invalid(pattern, `there is no class ${token}`, "Spell out its characters: [a-zA-Z].");
    return CLASSES[name]!;
  });
}

/** The classes of POSIX as an expression has them: ASCII characters, as grep and git mean them. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\x20\t`,
  cntrl: String.raw`\x00-\x1f\x7f`,
  digit: "0-9",
  graph: String.raw`\x21-\x7e`,
  lower: "a-z",
  print: String.raw`\x20-\x7e`,
  punct: String.raw`\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e`,
  space: String.raw`\t-\r\x20`,
  upper: "A-Z",
  word: "A-Za-z0-9_",
  xdigit: "0-9A-Fa-f",
};

function problemOf(source: string, flags: string): string | undefined {
  try {
    // oxlint-disable-next-line no-new -- only whether it compiles matters
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: .*\/[a-z]*: /, "");
  }
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function invalid(pattern: string, why: string, fix: string): HaftError {
  const message = `Not a pattern to search for: ${JSON.stringify(pattern)}: ${why}.`;
  return fileToolError("INVALID_PATTERN", message, { fix, details: { pattern } });
}
