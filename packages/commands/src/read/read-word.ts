import type { CommandExpansionPart, WordPart } from "unbash";

/** Describes a part of a word. Quoted text is literal; other text may have special meaning. */
export type Atom = { quoted: boolean } & (
  | { char: string }
  /** `isOpen`: without braces, so following text could extend its name. */
  | { variable: string; isOpen: boolean }
  | { command: CommandExpansionPart }
  /** Shell text that runs nothing, with a value that is unknown before it runs. */
  | { shell: string }
);

/** Contains the parts of a word, and its text without expansions; or the reason why it is uncertain. */
export type ReadWord = { atoms: readonly Atom[]; raw: string } | { unclear: string };

/** Characters after a literal `$` in double quotes, in every shell: `"^a$|^b$"`. */
const AFTER_TEXT_DOLLAR = /["\s|)/]/;
const ORDINARY = /^[\t\n\x20-\x7e]*$/;
/** Spaces that only some shells recognize, and invisible characters. Created on demand because its classes are large. */
const oddCharacter = () => /[^\S \t\n]|\p{Cf}|\p{Co}|\p{Cn}/u;
const NUMBERS = String.raw`[\d\s+\-*/%<>!&|^~?:,]*`;
/** Status and numbers of the shell, arithmetic with numbers only, and values of variables without code. A variable in arithmetic can run code. */
const PLAIN_EXPANSION = new RegExp(
  String.raw`^\$(?:[?#$!]|\(\(${NUMBERS}(?:\(${NUMBERS}\)${NUMBERS})*\)\)|` +
    String.raw`\{(?:#[A-Za-z_]\w*|[A-Za-z_]\w*(?:##?|%%?)[\w.*/-]{1,100}|[A-Za-z_]\w*:?[-+][\w./-]{0,100})\})`,
);
const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/;

/** Contains a word of the source, and the parser's result, which gives the end of commands inside. */
export interface WordSource {
  text: string;
  pos: number;
  parts: readonly WordPart[];
}

/**
 * Reads a word without the parser. It supports quotes, backslashes and variables, and refuses text that any shell could interpret further.
 */
export function readWord(source: WordSource): ReadWord {
  const reader = new WordReader(source);
  const unclear = reader.read();
  if (unclear !== undefined) return { unclear };
  const { atoms, raw } = reader;
  const plain = atoms.flatMap((atom) => ("char" in atom && !atom.quoted ? atom.char : [])).join("");
  if (!ORDINARY.test(plain) && oddCharacter().test(plain))
    return { unclear: "it contains an invisible or unusual character" };
  return { atoms, raw };
}

class WordReader {
  readonly atoms: Atom[] = [];
  raw = "";
  readonly #text: string;
  readonly #pos: number;
  readonly #commands: readonly CommandExpansionPart[];

  constructor({ text, pos, parts }: WordSource) {
    this.#text = text;
    this.#pos = pos;
    this.#commands = parts.flatMap((part) =>
      part.type === "DoubleQuoted"
        ? part.parts.filter((inner) => inner.type === "CommandExpansion")
        : part.type === "CommandExpansion"
          ? [part]
          : [],
    );
  }

  read(): string | undefined {
    const text = this.#text;
    for (let at = 0; at < text.length;) {
      const char = text.charAt(at);
      const next = text.charAt(at + 1);
      if (char === "'") {
        const end = text.indexOf("'", at + 1);
        if (end < 0) return "a quote is not closed";
        this.#put(text.slice(at + 1, end), true);
        at = end + 1;
      } else if (char === '"') {
        const end = this.#readDoubleQuotes(at + 1);
        if (typeof end === "string") return end;
        at = end;
      } else if (char === "\\") {
        if (next === "") return "it continues a line with a backslash";
        // A continued line loses both characters.
        if (next !== "\n") this.#put(next, true);
        at += 2;
      } else if (char === "$") {
        const end = this.#readDollar(at, false);
        if (typeof end === "string") return end;
        at = end;
      } else {
        const unclear = refuseUnquoted(text, at);
        if (unclear !== undefined) return unclear;
        this.#put(char, false);
        at += 1;
      }
    }
    return undefined;
  }

  #put(chars: string, quoted: boolean): void {
    for (const char of chars) this.atoms.push({ char, quoted });
    if (quoted && chars === "") this.atoms.push({ char: "", quoted });
    this.raw += chars;
  }

  #readDoubleQuotes(from: number): number | string {
    const text = this.#text;
    if (text.charAt(from) === '"') this.#put("", true);
    for (let at = from; at < text.length;) {
      const char = text.charAt(at);
      const next = text.charAt(at + 1);
      if (char === '"') return at + 1;
      if (char === "`") return "it runs a command inside another (` `)";
      if (char === "$" && !AFTER_TEXT_DOLLAR.test(next)) {
        const end = this.#readDollar(at, true);
        if (typeof end === "string") return end;
        at = end;
      } else if (char === "\\" && next === "\n") {
        this.#put("", true);
        at += 2;
      } else if (char === "\\" && /[$`"\\]/.test(next)) {
        this.#put(next, true);
        at += 2;
      } else {
        this.#put(char, true);
        at += 1;
      }
    }
    return "a quote is not closed";
  }

  #readDollar(at: number, quoted: boolean): number | string {
    const text = this.#text;
    const [all, plain, braced] = VARIABLE.exec(text.slice(at, at + 300)) ?? [];
    const variable = plain ?? braced;
    if (all !== undefined && variable !== undefined) {
      if (plain !== undefined && /^(?:\[|\\\n)/.test(text.slice(at + all.length)))
        return describeExpansion("");
      this.atoms.push({ variable, isOpen: plain !== undefined, quoted });
      this.raw += all;
      return at + all.length;
    }
    const [shell] = PLAIN_EXPANSION.exec(text.slice(at, at + 300)) ?? [];
    if (shell !== undefined) {
      this.atoms.push({ shell, quoted });
      this.raw += shell;
      return at + shell.length;
    }
    const next = text.charAt(at + 1);
    const command = this.#commands.find(({ pos }) => pos === this.#pos + at);
    if (next !== "(" || command?.script === undefined) return describeExpansion(text.slice(at + 1, at + 3));
    this.atoms.push({ command, quoted });
    const end = command.end - this.#pos;
    this.raw += text.slice(at, end);
    return end;
  }
}

const NOT_APART = "its words cannot be told apart";

function refuseUnquoted(text: string, at: number): string | undefined {
  switch (text.charAt(at)) {
    case "`":
      return "it runs a command inside another (` `)";
    case "#":
      return at === 0 ? "it contains a comment where a word should be" : undefined;
    case "<":
    case ">":
      return text.charAt(at + 1) === "("
        ? `it runs a command inside another (${text.charAt(at)}( ))`
        : NOT_APART;
    case "(":
    case ")":
    case "|":
    case "&":
    case ";":
    case " ":
    case "\t":
    case "\n":
      return NOT_APART;
    default:
      return undefined;
  }
}

export function describeExpansion(next: string): string {
  if (next === "((") return "it calculates with $(( ))";
  if (next.startsWith("(")) return "it uses $( ), whose result is not known before it runs";
  if (next.startsWith("[")) return "it calculates with $[ ]";
  if (/^["']/.test(next)) return `it uses $${next.charAt(0)}, which shells read differently`;
  return "it uses a variable ($), whose value is not known before it runs";
}
