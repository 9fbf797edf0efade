import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { toJavaScript } from "./dialects.ts";

/** Plain data, for worker threads. */
export type GrepQuery = { kind: "literal"; text: string } | { kind: "regex"; source: string; flags: string };

/** Patterns are matched against single lines, so `.` may match any character. */
const FLAGS = "su";

/** Translation runs on the host's thread and has steps with quadratic cost. */
const MOST_CHARACTERS = 5_000;

export function parseQuery(
  pattern: string,
  { literal = false, ignoreCase = false }: { literal?: boolean; ignoreCase?: boolean },
): GrepQuery {
  if (/[\r\n]/.test(pattern)) {
    const fix = "Search for one line's part of it.";
    throw invalid(pattern, "it contains a line break, and lines are searched one by one", fix);
  }
  const inline = literal ? null : /^\(\?([ims]+)\)/.exec(pattern);
  const bare = inline === null ? pattern : pattern.slice(inline[0].length);
  const anyCase = ignoreCase || inline?.[1]?.includes("i") === true;
  const flags = anyCase ? `${FLAGS}i` : FLAGS;
  if (literal || !/[\\^$.*+?()[\]{}|]/.test(bare)) {
    return anyCase ? { kind: "regex", source: escapeRegex(bare), flags } : { kind: "literal", text: bare };
  }
  if (bare.length > MOST_CHARACTERS) {
    const why = `it has ${bare.length} characters, and the limit for an expression is ${MOST_CHARACTERS}`;
    throw invalid(
      `${pattern.slice(0, 100)}…`,
      why,
      "Search for a part of it; literal=true has no such limit.",
    );
  }
  const source = toJavaScript(bare, (why, fix) => {
    throw invalid(pattern, why, fix);
  });
  const problem = problemOf(source, flags);
  if (problem === undefined) return { kind: "regex", source, flags };
  throw invalid(pattern, problem, problem === "Invalid group" ? GROUPS : CORRECT);
}

const CORRECT = "Correct it, or set literal=true to search for exactly these characters.";
const GROUPS =
  "Supported are (…), (?:…), (?<name>…), (?=…), (?!…), (?<=…), (?<!…); for both cases put (?i) first, or set ignoreCase=true.";

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
