export type Refuse = (why: string, fix: string) => never;

/**
 * Converts a pattern to a strict JavaScript expression (flags `su`). Syntax of grep, ripgrep, Perl and Python with the same meaning within
 * a line is translated, else rejected.
 */
export function toJavaScript(pattern: string, refuse: Refuse): string {
  const output: string[] = [];
  let at = 0;
  let inClass = false;
  let classStart = 0;
  while (at < pattern.length) {
    const token = tokenAt(pattern, at, inClass);
    if (token.startsWith("\\")) output.push(escape(token, inClass, refuse));
    else if (inClass) {
      if (token === "]") {
        inClass = false;
        output.push(token);
      } else if (token === "-") output.push(isRange(pattern, at, classStart) ? token : String.raw`\-`);
      else output.push(member(token, refuse));
    } else if (token.startsWith("[")) {
      requireMeant(token, pattern.slice(at + token.length), refuse);
      inClass = token !== "[^]";
      classStart = at + token.length;
      output.push(token);
    } else output.push(outside(token, refuse));
    at += token.length;
  }
  return output.join("");
}

const TOKENS = {
  inside:
    /\\(?:[xpPu]\{[^}]*\}|U[\dA-Fa-f]{8}|[pP][A-Za-z]|.)|\[:\^?(?:[A-Za-z]+|[<>]):\]|\[=[^\]]=\]|\[\.[^\]]+?\.\]|&&|./suy,
  outside:
    /\\(?:[xpPukgbBo]\{[^}]*\}|U[\dA-Fa-f]{8}|[pP][A-Za-z]|k<[^>]*>|.)|\[:\^?[A-Za-z]+:\]|\[\^?\]?|\(\?P?[a-zA-Z=<>-]*|[*+?]\+|\{(?:\d+(?:,\d*)?\}\+?|,\d+\})?|./suy,
} as const;

function tokenAt(pattern: string, at: number, inClass: boolean): string {
  const expression = inClass ? TOKENS.inside : TOKENS.outside;
  expression.lastIndex = at;
  return expression.exec(pattern)?.[0] ?? (pattern[at] as string);
}

const KNOWN = /^\\(?:[dDwWsStnrfv]|[bB]|[1-9]|c[A-Za-z]?|x|u|u\{.*\}|[pP]\{.*\}|k<.*>|0)$/su;

/** Each line is searched separately, so a line is the whole text. */
const TRANSLATED: Readonly<Record<string, string>> = {
  A: "^",
  z: "$",
  Z: "$",
  a: String.raw`\x07`,
  e: String.raw`\x1b`,
};

const REFUSED: Readonly<Record<string, string>> = {
  "<": String.raw`Write \b for the edge of a word, or < without a backslash for the character.`,
  ">": String.raw`Write \b for the edge of a word, or > without a backslash for the character.`,
  h: String.raw`Write [ \t] for blanks, or [0-9A-Fa-f] for hexadecimal digits.`,
  H: String.raw`Write [^ \t], or [^0-9A-Fa-f].`,
  R: "Lines are searched one by one: leave it out.",
  Q: "Set literal=true to search for exactly these characters.",
  K: "Leave it out, or put the text before it into (?<=…).",
  G: "Leave it out, or write ^ for the beginning of a line.",
  X: "Write . for a character.",
  N: "Write . for a character.",
  m: String.raw`Write \b for the edge of a word.`,
  M: String.raw`Write \b for the edge of a word.`,
  y: String.raw`Write \b for the edge of a word.`,
  g: String.raw`Write \1 for the match of the first group, \k<name> for a named group.`,
  k: String.raw`Write \k<name>.`,
  b: String.raw`Write \b for the edge of a word.`,
  B: String.raw`Write \B where a word has no edge.`,
  o: String.raw`Write the character in hexadecimal: \x41.`,
};

function escape(token: string, inClass: boolean, refuse: Refuse): string {
  const letter = token[1] ?? "";
  const known = KNOWN.test(token);
  if (known && !(inClass && letter === "B")) return token;
  if (/^\\x\{[\dA-Fa-f]+\}$/.test(token)) return `\\u${token.slice(2)}`;
  if (/^\\U[\dA-Fa-f]{8}$/.test(token)) return `\\u{${token.slice(2)}}`;
  if (/^\\[pP][A-Za-z]$/.test(token)) return `\\${letter}{${token[2]}}`;
  if (token.length === 2 && !inClass && Object.hasOwn(TRANSLATED, letter)) return `${TRANSLATED[letter]}`;
  if (/^\\[ae]$/.test(token)) return `${TRANSLATED[letter]}`;
  if (token === "\\") return refuse("it ends in a backslash", String.raw`Write \\ for a backslash.`);
  if (/[a-zA-Z0-9]/.test(letter) || (!inClass && /[<>]/.test(letter))) {
    const fix =
      REFUSED[letter] ?? `Write ${letter} for the character, \\\\${letter} for a backslash before it.`;
    return refuse(`${token} has no certain meaning`, fix);
  }
  // Strict expressions allow a backslash only before some characters.
  const character = token.slice(1);
  return /^[\^$\\.*+?()[\]{}|/]$/.test(character) || (inClass && character === "-") ? token : character;
}

/** Next to a class such as `\w`, or at an end, a hyphen is literal. */
function isRange(pattern: string, at: number, start: number): boolean {
  const before = pattern.slice(start, at);
  const after = pattern.slice(at + 1, at + 3);
  const isSet = /^(?:\\[dDwWsSpP]|\[[:=.])/;
  if (before === "" || after === "" || after.startsWith("]") || isSet.test(after)) return false;
  return !/(?:^|[^\\])(?:\\\\)*(?:\\[dDwWsS]|\\[pP](?:[A-Za-z]|\{[^}]*\})|:\])$/s.test(before);
}

function member(token: string, refuse: Refuse): string {
  if (token === "&&")
    return refuse(
      "&& within brackets is an intersection in other dialects, and two characters here",
      "Write & once for the character; for an intersection, a look ahead: (?![aeiou])[a-z].",
    );
  return token.length > 2 && token.startsWith("[") ? named(token, refuse) : token;
}

/** JavaScript would read `[:alpha:]` and similar classes as letters. */
function named(token: string, refuse: Refuse): string {
  const name = token.slice(2, -2);
  if (/^\[:[<>]:\]$/.test(token))
    return refuse(
      `${token} has no meaning here`,
      String.raw`Write \b for the edge of a word, without brackets.`,
    );
  const characters = token[1] === ":" && token[2] !== "^" ? POSIX_CLASSES[name] : undefined;
  if (characters !== undefined) return characters;
  return refuse(`there is no class ${token}`, "Spell out its characters: [a-zA-Z].");
}

/** Rejects classes that begin with their closing bracket or are probably mistakes. */
function requireMeant(token: string, rest: string, refuse: Refuse): void {
  if (token.startsWith("[:")) {
    refuse(`${token} is a class only within another pair of brackets`, `Write [${token}].`);
  }
  if (token === "[]")
    refuse("[] matches nothing", String.raw`Write \[\] for two brackets, [\]…] for a class with a ].`);
  if (token === "[^]" && /^[^[]*\]/.test(rest))
    refuse("[^] matches anything, so the class ends there", String.raw`Write [^\]…] for a class without ].`);
}

function outside(token: string, refuse: Refuse): string {
  if (token === "{" || token === "}" || token === "]") return `\\${token}`;
  if (token.startsWith("{,")) return refuse(`${token} has no lower bound`, `Write {0${token.slice(1)}.`);
  if (token.endsWith("}+")) return refuse(POSSESSIVE, `Write ${token.slice(0, -1)} alone.`);
  if (/^[*+?]\+$/.test(token)) return refuse(POSSESSIVE, `Write ${token[0]} alone.`);
  if (token.startsWith("(?P<")) return `(?<${token.slice(4)}`;
  if (token.startsWith("(?P="))
    return refuse(`${token} has another syntax here`, String.raw`Write \k<name>.`);
  const flags = /^\(\?([a-zA-Z]+)$/.exec(token)?.[1];
  if (flags !== undefined && !/^[ims]+$/.test(flags))
    return refuse(`${token} has no meaning here`, "Leave the flags out; ignoreCase=true is for both cases.");
  return token;
}

const POSSESSIVE = "a + after a repetition (possessive) is not supported here";

const POSIX_CLASSES: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
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
