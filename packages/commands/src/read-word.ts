/** A word of the shell: what it stands for, or why that is not certain. */
export type ReadWord = { value: string } | { unclear: string };

/** What follows a `$` in double quotes that no shell takes for an expansion: `"^a$|^b$"`. */
const AFTER_TEXT_DOLLAR = /["\s|)/]/;
/** Spaces that only some shells take for spaces, and characters nobody sees. */
const ODD_CHARACTER = /[^\S \t\n]|\p{Cf}|\p{Co}|\p{Cn}/u;

/**
 * Reads one word by itself, from its source text. It knows quotes and backslashes, and refuses whatever any shell
 * could take for more than text.
 */
export function readWord(text: string): ReadWord {
  let value = "";
  let unquoted = "";
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { unclear: "a quote is not closed" };
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuotes(text, at + 1);
      if ("unclear" in quoted) return quoted;
      value += quoted.value;
      at = quoted.end;
    } else if (char === "\\") {
      const next = text.charAt(at + 1);
      if (next === "" || next === "\n") return { unclear: "it continues a line with a backslash" };
      value += next;
      at += 2;
    } else {
      const unclear = refuseUnquoted(text, at);
      if (unclear !== undefined) return { unclear };
      unquoted += char;
      value += char;
      at += 1;
    }
  }
  if (ODD_CHARACTER.test(unquoted)) return { unclear: "it contains an invisible or unusual character" };
  if (unquoted.includes("{") && (unquoted.includes(",") || unquoted.includes("..")))
    return { unclear: "it uses { } to make several words" };
  return { value };
}

function readDoubleQuotes(text: string, from: number): { value: string; end: number } | { unclear: string } {
  let value = "";
  for (let at = from; at < text.length;) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === '"') return { value, end: at + 1 };
    if (char === "`") return { unclear: "it runs a command inside another (` `)" };
    if (char === "$" && !AFTER_TEXT_DOLLAR.test(next)) return { unclear: expansionOf(next) };
    if (char === "\\" && next === "\n") return { unclear: "it continues a line with a backslash" };
    if (char === "\\" && /[$`"\\]/.test(next)) {
      value += next;
      at += 2;
    } else {
      value += char;
      at += 1;
    }
  }
  return { unclear: "a quote is not closed" };
}

/** Why a character outside of quotes is more than text, if it is. */
function refuseUnquoted(text: string, at: number): string | undefined {
  const char = text.charAt(at);
  switch (char) {
    case "$":
      return expansionOf(text.charAt(at + 1));
    case "`":
      return "it runs a command inside another (` `)";
    case "*":
    case "?":
    case "[":
      // Alone it is the name of a command.
      return text === "[" ? undefined : `it uses a pattern (${char}) that becomes the names of files`;
    case "~": {
      const before = text.charAt(at - 1);
      const isText = at > 0 && /[\w./^@-]/.test(before);
      return isText ? undefined : "it uses ~, which stands for a home folder";
    }
    case "#":
      return at === 0 ? "it contains a comment where a word should be" : undefined;
    case "(":
    case ")":
    case "<":
    case ">":
    case "|":
    case "&":
    case ";":
    case " ":
    case "\t":
    case "\n":
      return "its words cannot be told apart";
    default:
      return undefined;
  }
}

function expansionOf(next: string): string {
  if (next === "(") return "it uses $( ), whose result is not known before it runs";
  if (next === "[") return "it calculates with $[ ]";
  if (next === "'" || next === '"') return `it uses $${next}, which shells read differently`;
  return "it uses a variable ($), whose value is not known before it runs";
}
