import { type LauncherRule, opaque } from "../launcher.ts";
import { findSetEnd } from "./plain-set.ts";

const OPTION =
  /^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--separate|--unbuffered|--null-data|-i|-i\.\w+)$/;
/** BSD sed has a separate value of `-i`: the extension of backups. */
const ENDING = /^(?:\.\w+)?$/;
const TAKES_A_WORD =
  "sed of macOS takes the word behind -i for the ending of a copy, and the next one for its program (write -i '' or -i.bak)";
const SCRIPT_OPTION = /^(?:-[nErsuz]*e|--expression)$/;
/** These read, write and start nothing. */
const COMMAND = /[pdnNDPgGhHx=]|[qQl] ?\d{0,3}/y;
const NUMBER = /\d+(?:~\d+)?|\$/y;
const SECOND = /\d+|\$|[+~]\d+/y;
const SPACE = /[ \t]*/y;
const BETWEEN = /[ \t\n;]*/y;
const FLAGS = /[gpIiMm0-9]*/y;

/** Sed can start programs and write files. */
export const sed: LauncherRule = (name, args, platform) => {
  if (name !== "sed" && name !== "gsed") return undefined;
  const isBsd = name === "sed" && platform === "darwin";
  const scripts: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (SCRIPT_OPTION.test(word) && at + 1 < args.length) scripts.push(args[++at] ?? "");
    else if (!OPTION.test(word)) break;
    else if (word === "-i" && isBsd && !ENDING.test(args[++at] ?? "-")) return opaque(TAKES_A_WORD);
  }
  const rest = args.slice(at);
  const program = scripts.length > 0 ? undefined : rest.shift();
  if (program !== undefined) scripts.push(program);
  const isPlain = scripts.length > 0 && rest.every((word) => !word.startsWith("-"));
  const isSeen = isPlain && scripts.every((script) => new SedScript(script).isHarmless());
  return isSeen ? undefined : opaque("programs of sed can start others and write files");
};

/** Unknown commands are not harmless. */
class SedScript {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  isHarmless(): boolean {
    let depth = 0;
    let count = 0;
    for (this.#take(BETWEEN); this.#at < this.#text.length; this.#take(BETWEEN)) {
      count += 1;
      if (this.#is("}")) {
        depth -= 1;
        if (depth < 0) return false;
      } else {
        if (!this.#takeAddresses()) return false;
        if (this.#is("{")) {
          depth += 1;
          continue;
        }
        const isKnown = this.#is("s")
          ? this.#takeParts(FLAGS)
          : this.#is("y")
            ? this.#takeParts()
            : this.#take(COMMAND);
        if (!isKnown) return false;
      }
      this.#take(SPACE);
      if (!/^[;\n}]?$/.test(this.#text.charAt(this.#at))) return false;
    }
    return depth === 0 && count > 0;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return false;
    this.#at += found[0].length;
    return true;
  }

  #is(char: string): boolean {
    if (this.#text.charAt(this.#at) !== char) return false;
    this.#at += 1;
    return true;
  }

  #takeAddresses(): boolean {
    const has = this.#take(NUMBER) || this.#takePattern();
    this.#take(SPACE);
    if (has && this.#is(",")) {
      this.#take(SPACE);
      if (!this.#take(SECOND) && !this.#takePattern()) return false;
      this.#take(SPACE);
    }
    if (has) while (this.#is("!")) this.#take(SPACE);
    return true;
  }

  #takePattern(): boolean {
    if (!this.#is("/")) return false;
    if (!this.#takeUntil("/", true)) return false;
    while (this.#is("I") || this.#is("M"));
    return true;
  }

  #takeParts(flags?: RegExp): boolean {
    const sign = this.#text.charAt(this.#at);
    if (!/^[/|,#:@!_%]$/.test(sign)) return false;
    this.#at += 1;
    if (!this.#takeUntil(sign, true) || !this.#takeUntil(sign, false)) return false;
    return flags === undefined || this.#take(flags);
  }

  #takeUntil(sign: string, isPattern: boolean): boolean {
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === "\n") return false;
      if (isPattern && char === "[") {
        // Some versions do not end a pattern inside a set.
        this.#at = findSetEnd(this.#text, this.#at, sign);
        if (this.#at < 0) return false;
      } else {
        this.#at += char === "\\" ? 2 : 1;
        if (char === sign) return true;
      }
    }
    return false;
  }
}
