import { type CharacterSet, parseCharacterSet } from "./character-set.ts";

/** Explains why a pattern is invalid. */
export interface PathPatternProblem {
  /** Contains the cause; `braces` for too many alternatives, `/` for an empty name, `.` for `.` and `..`. */
  readonly problem: "[" | "-" | "]" | "[:" | "{" | "}" | "\\" | "**" | "braces" | "/" | ".";
  /** Locates it in the pattern, in UTF-16 code units. */
  readonly at: number;
  /** Continues a message after the pattern: "ends with a backslash". */
  readonly message: string;
}

export interface Token {
  readonly kind: "character" | "*" | "?" | "/" | "{" | "," | "}" | "set";
  readonly text: string;
  readonly set?: CharacterSet;
  readonly at: number;
}

type Kind = Token["kind"];

const SIGNS: ReadonlySet<string> = new Set<Kind>(["*", "?", "/", "{", ",", "}"]);

export function tokenise(
  pattern: string,
  { strict, emptyRanges }: { strict: boolean; emptyRanges: boolean },
): Token[] | PathPatternProblem {
  const tokens: Token[] = [];
  const characters = Array.from(pattern);
  let offset = 0;
  for (let index = 0; index < characters.length; index++) {
    const text = characters[index]!;
    const at = offset;
    offset += text.length;
    if (text === "\\") {
      const escaped = characters[index + 1];
      if (escaped === undefined && strict) return { problem: "\\", at, message: "ends with a backslash" };
      // An escaped slash separates names, since names cannot contain it.
      tokens.push({ kind: escaped === "/" ? "/" : "character", text: escaped ?? text, at });
      offset += escaped?.length ?? 0;
      index++;
    } else if (text === "[") {
      const parsed = parseCharacterSet(characters, index, emptyRanges);
      if (parsed === "open") return { problem: "[", at, message: "has a [ without ]: it is never closed" };
      if (parsed === "range")
        return { problem: "-", at, message: "has a range that ends before it begins and is empty" };
      if (parsed === "class") return { problem: "[:", at, message: "names an unknown class" };
      tokens.push({ kind: "set", text, set: parsed.set, at });
      offset += characters.slice(index + 1, parsed.end + 1).join("").length;
      index = parsed.end;
    } else if (text === "]" && strict) {
      return { problem: "]", at, message: "has a ] without [" };
    } else tokens.push({ kind: SIGNS.has(text) ? (text as Kind) : "character", text, at });
  }
  return pairBraces(tokens, strict);
}

/** Braces without alternatives, and outer commas, become plain characters; in strict mode, one alternative is a list. */
function pairBraces(tokens: Token[], strict: boolean): Token[] | PathPatternProblem {
  const plain = (index: number) => (tokens[index] = { ...tokens[index]!, kind: "character" });
  const open: { index: number; commas: number }[] = [];
  for (const [index, { kind, at }] of tokens.entries()) {
    const list = open.at(-1);
    if (kind === "{") open.push({ index, commas: 0 });
    else if (kind === ",") {
      if (list) list.commas++;
      else plain(index);
    } else if (kind === "}") {
      if (!list && strict) return { problem: "}", at, message: "has a } without {" };
      open.pop();
      if (list && (strict || list.commas > 0)) continue;
      plain(index);
      if (list) plain(list.index);
    }
  }
  const never = open[0];
  if (never)
    return { problem: "{", at: tokens[never.index]!.at, message: "has a { without }: it is never closed" };
  return tokens;
}

export function countAlternatives(tokens: readonly Token[]): number {
  let [before, now] = [0, 1];
  const around: [before: number, now: number][] = [];
  for (const { kind } of tokens) {
    if (kind === "{") {
      around.push([before, now]);
      [before, now] = [0, 1];
    } else if (kind === ",") [before, now] = [before + now, 1];
    else if (kind === "}") {
      const [outerBefore, outerNow] = around.pop()!;
      [before, now] = [outerBefore, outerNow * (before + now)];
    }
  }
  return now;
}

export function expandBraces(tokens: readonly Token[]): (readonly Token[])[] {
  const open = tokens.findIndex(({ kind }) => kind === "{");
  if (open < 0) return [tokens];
  const parts: Token[][] = [[]];
  let depth = 1;
  let end = open + 1;
  for (; depth > 0; end++) {
    const token = tokens[end]!;
    if (token.kind === "{") depth++;
    else if (token.kind === "}" && --depth === 0) continue;
    if (depth === 1 && token.kind === ",") parts.push([]);
    else parts.at(-1)!.push(token);
  }
  const [before, after] = [tokens.slice(0, open), tokens.slice(end)];
  return parts.flatMap((part) => expandBraces([...before, ...part, ...after]));
}
