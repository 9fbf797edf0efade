import { HaftError } from "@haft/core";

/** What to look for, as plain data: it may travel to a thread. */
export type Query = { kind: "literal"; text: string } | { kind: "regex"; source: string; flags: string };

export interface QueryOptions {
  literal: boolean;
  ignoreCase: boolean;
}

/** Patterns are matched against single lines, so `.` may match whatever a line holds. */
const FLAGS = "su";

/** Reads a pattern; one without special characters is searched for as it is. */
export function parseQuery(pattern: string, { literal, ignoreCase }: QueryOptions): Query {
  if (/[\r\n]/.test(pattern)) {
    throw invalid(
      pattern,
      "it holds a line break, and lines are searched one by one",
      "Search for one line's part of it.",
    );
  }
  const inline = literal ? null : /^\(\?i\)/.exec(pattern);
  const source = inline === null ? pattern : pattern.slice(inline[0].length);
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
  return new HaftError(
    "INVALID_PATTERN",
    `Not a pattern to search for: ${JSON.stringify(pattern)}: ${why}.`,
    {
      category: "input",
      fix,
      details: { pattern },
    },
  );
}
