import { baseName } from "../../words/names.ts";
import { type LauncherRule, opaque } from "../launcher.ts";
import { findSetEnd } from "./plain-set.ts";

const NAMES = new Set("awk gawk mawk nawk original-awk".split(" "));
/** Text before a `/` that begins a pattern, in every awk. */
const BEFORE_PATTERN = /^(?:|[(,{};!~\n]|&&|\|\||!~)$/;
/** Text before a `/` that divides. */
const BEFORE_DIVISION = /^(?:\d[\w.]*|\])$/;
/** After any other token, a line end does not end the statement. */
const OPERAND_END = /^(?!in$)(?:[\w.]+|[)\]])$/;
const WORDS_OF_OTHERS = /^(?:system|getline|close|fflush|ARGV|ARGC|SYMTAB|FUNCTAB|PROCINFO)$/;
const TOKEN = /\s*?(\n|[A-Za-z_]\w*|\d[\w.]*|&&|\|\||!~|>>|[^\s])/y;

/** Awk can start programs and write files. */
export const awk: LauncherRule = (name, args) => {
  if (!NAMES.has(baseName(name))) return undefined;
  const { program, operands } = readArguments(args);
  if (program === undefined) return opaque(`${name} has a language that can start other programs`);
  if (operands.some((word) => word.startsWith("/inet"))) return opaque(`${name} opens connections`);
  return isReadOnly(program)
    ? undefined
    : opaque(`its program can have ${name} start others and write files`);
};

function readArguments(args: readonly string[]): { program?: string; operands: readonly string[] } {
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^-[Fv]$/.test(word)) at += 1;
    else if (word === "--") {
      at += 1;
      break;
    } else if (!/^-[Fv]./.test(word)) break;
  }
  const [program, ...operands] = args.slice(at);
  return program === undefined || program.startsWith("-") ? { operands } : { program, operands };
}

/** Returns whether the program certainly neither writes files nor starts programs. */
function isReadOnly(program: string): boolean {
  let last = "";
  let prints = false;
  let depth = 0;
  for (let at = 0; at < program.length;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(program);
    if (found === null) return program.slice(at).trim() === "";
    const token = found[1] ?? "";
    let end = TOKEN.lastIndex;
    if (token === "#") {
      const line = program.indexOf("\n", end);
      at = line < 0 ? program.length : line;
      continue;
    }
    if (token === '"' || token === "/") {
      const isPattern = token === "/" && BEFORE_PATTERN.test(last);
      // Only the grammar decides between pattern and division.
      if (token === "/" && !isPattern && !BEFORE_DIVISION.test(last) && !isVariable(last)) return false;
      if (token === '"' || isPattern) {
        end = endOf(program, end, token);
        if (end < 0) return false;
      }
    }
    if (token === "|" || token === "@" || token === "\\" || token === "`" || token === ">>") return false;
    if (WORDS_OF_OTHERS.test(token)) return false;
    if (/^[([]$/.test(token)) depth += 1;
    if (/^[)\]]$/.test(token)) depth -= 1;
    if (token === "\n" && (depth > 0 || !OPERAND_END.test(last))) {
      at = end;
      continue;
    }
    if (/^[;{}\n]$/.test(token)) prints = false;
    if (/^printf?$/.test(token)) prints = true;
    if (token === ">" && prints) return false;
    last = token === '"' ? "]" : token === "/" && end > TOKEN.lastIndex ? ")" : token;
    at = end;
  }
  return true;
}

function isVariable(token: string): boolean {
  return (
    /^[A-Za-z_]\w*$/.test(token) &&
    !/^(?:print|printf|return|in|else|do|case|delete|exit|func|function)$/.test(token)
  );
}

/** Returns the end of a text or pattern; -1 if it has no end or awks disagree. */
function endOf(program: string, from: number, sign: string): number {
  for (let at = from; at < program.length;) {
    const char = program.charAt(at);
    if (char === sign) return at + 1;
    if (char === "\n") return -1;
    if (char === "\\") {
      if (program.charAt(at + 1) === "\n") return -1;
      at += 2;
    } else if (sign === "/" && char === "[") {
      at = findSetEnd(program, at, sign);
      if (at < 0) return -1;
    } else at += 1;
  }
  return -1;
}
