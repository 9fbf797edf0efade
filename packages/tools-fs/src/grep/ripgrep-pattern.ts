import type { GrepQuery } from "./query.ts";

const LARGEST_REPEAT = 1000;
/** Characters of a repetition that can be within that. */
const LONGEST_REPEAT = 40;

/** Escapes that mean the same to both engines, or more to ripgrep. */
const ESCAPES: Readonly<Record<string, string>> = {
  d: "0-9",
  w: String.raw`\w`,
  s: String.raw`\s\x{FEFF}`,
  t: String.raw`\t`,
};

/**
 * The arguments that make ripgrep find every line the query finds, and perhaps more; `undefined` for
 * patterns that mean something else to it. Only what certainly has the same meaning is translated.
 */
export function ripgrepPattern(query: GrepQuery): readonly string[] | undefined {
  if (query.kind === "literal") {
    const literal = joined(Array.from(query.text, (character) => escapeLiteral(character, false)));
    return literal === undefined ? undefined : ["--regexp", literal];
  }
  // Below, an end of line may cover a CR, after which no line begins: keep the two from meeting.
  if (ENDS_MEET.some((signs) => standInOrder(query.source, signs))) return undefined;
  const anyCase = query.flags.includes("i");
  const translated = translate(query.source, anyCase);
  if (translated === undefined) return undefined;
  return [...(anyCase ? ["--ignore-case"] : []), "--regexp", translated];
}

const ENDS_MEET = ["$^", "^($", "(^$"];

/** Whether the signs stand in the text in this order. Linear in the text, as an expression for it is not. */
function standInOrder(text: string, signs: string): boolean {
  let at = -1;
  for (const sign of signs) {
    at = text.indexOf(sign, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** All of it, or nothing where a part has no translation. */
function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
}

function translate(source: string, anyCase: boolean): string | undefined {
  const characters = Array.from(source);
  const output: (string | undefined)[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === "\\") {
      at += 1;
      output.push(escapeOutside(characters[at]));
    } else if (character === "[") {
      const parsed = translateClass(characters, at, anyCase);
      if (parsed === undefined) return undefined;
      output.push(parsed.text);
      at = parsed.end;
    } else if (character === "(") {
      const length = groupOpening(characters, at);
      if (length === undefined) return undefined;
      output.push("(?:");
      at += length - 1;
    } else if (character === "{") {
      const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(characters.slice(at, at + LONGEST_REPEAT).join(""));
      if (repeat === null || Number(repeat[1]) > LARGEST_REPEAT || Number(repeat[2] ?? 0) > LARGEST_REPEAT)
        return undefined;
      output.push(repeat[0]);
      at += repeat[0].length - 1;
    } else if (character === ".") {
      output.push(String.raw`[^\n]`);
    } else if (character === "^") {
      // A byte order mark before the first line is none of its characters.
      output.push(String.raw`(?:^\x{FEFF}?)`);
    } else if (character === "$") {
      // Here lines end in LF alone; the option for CR LF would keep every class from matching CR.
      output.push(String.raw`(?:\r?$)`);
    } else if (")|*+?".includes(character)) {
      output.push(character);
    } else {
      output.push(escapeLiteral(character, anyCase));
    }
  }
  return joined(output);
}

/** How many characters open the group; `undefined` for groups that only look or change the rules. */
function groupOpening(characters: readonly string[], at: number): number | undefined {
  const rest = characters.slice(at, at + 80).join("");
  if (!rest.startsWith("(?")) return 1;
  return /^\(\?(?::|<[A-Za-z_]\w*>)/.exec(rest)?.[0].length;
}

function escapeOutside(character: string | undefined): string | undefined {
  if (character === undefined) return undefined;
  if (Object.hasOwn(ESCAPES, character)) return `[${ESCAPES[character]}]`;
  return /^[!-/:-@[-`{-~]$/.test(character) ? escapeLiteral(character, false) : undefined;
}

function translateClass(
  characters: readonly string[],
  start: number,
  anyCase: boolean,
): { text: string; end: number } | undefined {
  const negated = characters[start + 1] === "^";
  const opening = negated ? ["[", "^"] : ["["];
  const parts: (string | undefined)[] = [...opening];
  for (let at = start + opening.length; at < characters.length; at += 1) {
    const character = characters[at] as string;
    const hasMember = parts.length > opening.length;
    if (character === "]") {
      const text = joined([...parts, "]"]);
      return hasMember && text !== undefined ? { text, end: at } : undefined;
    }
    if (character === "-") {
      // As a range it stands between two members; elsewhere it is itself.
      parts.push(hasMember && characters[at + 1] !== "]" ? "-" : String.raw`\-`);
    } else if (character === "\\") {
      at += 1;
      const escaped = characters[at] ?? "";
      // What is more to ripgrep would be less when negated.
      if (negated && escaped !== "d" && escaped !== "t" && Object.hasOwn(ESCAPES, escaped)) return undefined;
      parts.push(Object.hasOwn(ESCAPES, escaped) ? ESCAPES[escaped] : escapeOutside(escaped));
    } else {
      parts.push(escapeLiteral(character, anyCase));
    }
  }
  return undefined;
}

/** Other letters than English ones have pairs that the engines may know differently. */
function escapeLiteral(character: string, anyCase: boolean): string | undefined {
  if (/^[A-Za-z0-9 _]$/.test(character)) return character;
  if (/^[ -~]$/.test(character)) return `\\x{${character.charCodeAt(0).toString(16)}}`;
  return anyCase || !character.isWellFormed() || /\p{C}/u.test(character) ? undefined : character;
}
