import type { GrepQuery } from "./query.ts";

const LARGEST_REPEAT = 1000;
const LONGEST_REPEAT = 40;

/** Escapes with the same or a wider meaning in ripgrep. */
const ESCAPES: Readonly<Record<string, string>> = {
  d: "0-9",
  w: String.raw`\w`,
  s: String.raw`\s\x{FEFF}`,
  t: String.raw`\t`,
};

/** The arguments match at least every line of the query. Only syntax with the same meaning is translated. */
export function ripgrepPattern(query: GrepQuery): readonly string[] | undefined {
  if (query.kind === "literal") {
    const literal = joined(Array.from(query.text, (character) => escapeLiteral(character, false)));
    return literal === undefined ? undefined : ["--regexp", literal];
  }
  // An end of line may cover a CR, after which no line begins.
  if (ENDS_MEET.some((signs) => occurInOrder(query.source, signs))) return undefined;
  const anyCase = query.flags.includes("i");
  const translated = translate(query.source, anyCase);
  if (translated === undefined) return undefined;
  return [...(anyCase ? ["--ignore-case"] : []), "--regexp", translated];
}

const ENDS_MEET = ["$^", "^($", "(^$"];

function occurInOrder(text: string, signs: string): boolean {
  let at = -1;
  for (const sign of signs) {
    at = text.indexOf(sign, at + 1);
    if (at < 0) return false;
  }
  return true;
}

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
      // A byte order mark does not belong to the first line.
      output.push(String.raw`(?:^\x{FEFF}?)`);
    } else if (character === "$") {
      // The option for CRLF would stop classes from matching CR.
      output.push(String.raw`(?:\r?$)`);
    } else if (")|*+?".includes(character)) {
      output.push(character);
    } else {
      output.push(escapeLiteral(character, anyCase));
    }
  }
  return joined(output);
}

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
      // A hyphen between two members is a range, elsewhere a literal.
      parts.push(hasMember && characters[at + 1] !== "]" ? "-" : String.raw`\-`);
    } else if (character === "\\") {
      at += 1;
      const escaped = characters[at] ?? "";
      // A negated wider meaning is narrower.
      if (negated && escaped !== "d" && escaped !== "t" && Object.hasOwn(ESCAPES, escaped)) return undefined;
      parts.push(Object.hasOwn(ESCAPES, escaped) ? ESCAPES[escaped] : escapeOutside(escaped));
    } else {
      parts.push(escapeLiteral(character, anyCase));
    }
  }
  return undefined;
}

/** The engines may differ in case pairs of non-ASCII letters. */
function escapeLiteral(character: string, anyCase: boolean): string | undefined {
  if (/^[A-Za-z0-9 _]$/.test(character)) return character;
  if (/^[ -~]$/.test(character)) return `\\x{${character.charCodeAt(0).toString(16)}}`;
  return anyCase || !character.isWellFormed() || /\p{C}/u.test(character) ? undefined : character;
}
