import { hasInvisible, type PatternProblem } from "./pattern-problem.ts";

const reserved = new Set(
  "if then else elif fi for while until do done case esac select function { } ! [[ ]]".split(" "),
);

const signs: Readonly<Record<string, string>> = {
  ";": "separates commands",
  "&": "separates commands",
  "|": "separates commands",
  "<": "redirects",
  ">": "redirects",
  "(": "groups commands",
  ")": "groups commands",
  "`": "runs a nested command",
  $: "expands a value",
};

const BLANK = "\0";

const ONE = "a pattern is compared with a single command";

/**
 * Finds syntax that the shell would interpret before the comparison, so the pattern could never match.
 *
 * @param space end of the first word
 */
export function findShellSyntax(text: string, space: number): PatternProblem | undefined {
  const shown = JSON.stringify(text);
  const scanned = scan(text);
  if ("problem" in scanned) return { ...scanned.problem, message: `${shown} ${scanned.problem.message}` };
  const { plain } = scanned;
  const first = text.slice(0, space);
  const at = plain.search(/[;&|<>()`$]/);
  if (at >= 0) return { message: `${shown} has ${sign(plain, at)}`, nearest: pieces(text, plain) };
  if (/'/.test(first)) {
    return {
      message: `${shown}: a program has no quotes; write \\ before a space in its name.`,
    };
  }
  if (/ {2}/.test(plain)) {
    const nearest = [text.replaceAll(/(?<!\\) {2,}/g, " ")];
    return { message: `${shown} has two spaces in a row; separate words by one.`, nearest };
  }
  const brace = /\{[^{}]*,[^{}]*\}/.exec(plain)?.[0];
  if (brace !== undefined) {
    const nearest = brace
      .slice(1, -1)
      .split(",")
      .map((each) => text.replace(brace, each));
    return {
      message: `${shown}: ${brace} is not supported in commands; write an entry for each alternative.`,
      nearest,
    };
  }
  if (/(?:^| )~/.test(plain)) {
    return {
      message: `${shown} has a ~, which a shell expands before the comparison. Write the full path, or \\~ for the sign.`,
    };
  }
  if (/ #/.test(plain))
    return { message: `${shown} has a comment, which programs never receive; write \\# for the sign.` };
  return programProblem(text, first);
}

function programProblem(text: string, first: string): PatternProblem | undefined {
  const shown = JSON.stringify(text);
  const rest = text.slice(first.length).trimStart();
  const without = rest === "" ? undefined : [rest];
  if (reserved.has(first)) {
    const message = `${shown}: ${JSON.stringify(first)} belongs to the shell, and ${ONE}.`;
    return { message, nearest: first === "!" ? without : undefined };
  }
  if (/^[A-Za-z_]\w*=/.test(first)) {
    return {
      message: `${shown}: variables before a command do not belong to it; begin with the program.`,
      nearest: without,
    };
  }
  if (first.startsWith("-")) {
    return {
      message: `${shown} begins with an option; a pattern begins with a program, or *.`,
      nearest: [`* ${text}`],
    };
  }
  if (/^\/.*(?:\/\/|\/\.{1,2}(?:\/|$)|\/$)/.test(first) || first.startsWith("//")) {
    return {
      message: `${shown}: a program with a / is compared with its real path, which has no //, /./, /../ or / at the end.`,
    };
  }
  return undefined;
}

function sign(plain: string, at: number): string {
  const char = plain[at]!;
  const whole = /^(?:&&|\|\||>>|<<|\$\()/.exec(plain.slice(at))?.[0] ?? char;
  const splits = ";&|".includes(char)
    ? " Write an entry for each: exec(rm *) applies to every rm in a line."
    : "";
  return `${JSON.stringify(whole)}, which ${signs[char]} in a shell, but ${ONE}.${splits} \\${char} means the character.`;
}

function pieces(text: string, plain: string): string[] {
  if (/\$\(|`|[^\s;&|(] *\(/.test(plain)) return [];
  const found: string[] = [];
  let from = 0;
  for (const {
    index,
    0: { length },
  } of plain.matchAll(/(?<![<>])[;&|()]+|$/g)) {
    const end = plain.slice(from, index).search(/ ?\d*[<>]/);
    const piece = text.slice(from, end < 0 ? index : from + end).trim();
    if (piece !== "" && !/[`$]/.test(plain.slice(from, index))) found.push(piece);
    from = index + length;
  }
  return [...new Set(found)].slice(0, 3);
}

function scan(text: string): { plain: string } | { problem: PatternProblem } {
  let plain = "";
  let open = -1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const next = text[at + 1];
    if (char === "\\" && open < 0 && next === "\\" && text[at + 2] === "'") {
      plain += BLANK.repeat(3);
      at += 2;
    } else if (char === "\\") {
      if (next !== undefined && /[A-Za-z0-9]/.test(next)) {
        const nearest = [`${text.slice(0, at)}\\${text.slice(at)}`];
        return {
          problem: { message: `has \\${next}, which is just ${next}; write \\\\ for a backslash.`, nearest },
        };
      }
      plain += BLANK.repeat(2);
      at++;
    } else if (char === "'") {
      if (open < 0) {
        if (at > 0 && !/[\s*\0]/.test(plain[at - 1]!)) return { problem: misquoted(text) };
        open = at;
        plain += "'";
      } else {
        const inside = text.slice(open + 1, at);
        const alone = plain[open - 1] !== BLANK && next !== "\\";
        const needless = alone && inside !== "" && !/[\s*\\]/.test(inside);
        if (needless || (next !== undefined && !/[\s*\\]/.test(next))) return { problem: misquoted(text) };
        open = -1;
        plain += "'";
      }
    } else if (open >= 0) plain += BLANK;
    else if (char === '"') return { problem: misquoted(text) };
    else if (hasInvisible(char))
      return { problem: { message: "has an invisible character; write the pattern again." } };
    else plain += char;
  }
  if (open >= 0) return { problem: { message: "has an unclosed quote; write \\' for the character." } };
  return { plain };
}

function misquoted(text: string): PatternProblem {
  const plain = text.replaceAll(
    /(\S*?)(["'])(.*?)\2(\S*)/g,
    (_, before: string, __, inside: string, after: string) => {
      const word = before + inside + after;
      return /\s/.test(word) ? `'${word}'` : word;
    },
  );
  const nearest = [plain === text ? text.replaceAll(/["']/g, "") : plain];
  const message =
    "has quotes, which a shell removes before the comparison; use only single quotes around a whole word with spaces (\\' and \\\" mean the characters).";
  return { message, nearest };
}

export function escapeWord(word: string): string {
  return word.replaceAll(/[*\\;&|<>()`$"' ]|\{(?=[^{}]*,)|^[~#]/g, "\\$&");
}
