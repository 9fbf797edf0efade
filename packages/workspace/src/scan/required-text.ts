/** Escapes with one meaning and no argument: classes and assertions. */
const CLASS_ESCAPES = "dDwWsSbB";
const SYNTAX = "^$\\.*+?()[]{}|/-";

/** Returns a text that each match of a regular expression contains (flag `u`), or an empty text if it finds none. */
export function findRequiredText(source: string): string {
  let longest = "";
  let run = "";
  const endRun = (): void => {
    if (run.length > longest.length) longest = run;
    run = "";
  };
  for (let at = 0; at < source.length; at += 1) {
    let character = source[at]!;
    if (character === "|") return "";
    if (character === "(" || character === "[") {
      const end = character === "(" ? groupEnd(source, at) : classEnd(source, at);
      if (end === undefined) return "";
      at = end;
      endRun();
      continue;
    }
    if (character === "\\") {
      at += 1;
      character = source[at] ?? "";
      if (!SYNTAX.includes(character)) {
        if (!CLASS_ESCAPES.includes(character) || character === "") return "";
        endRun();
        continue;
      }
    } else if (character === "{") {
      const end = source.indexOf("}", at);
      if (end < 0) return "";
      at = end;
      continue;
    } else if ("^$.*+?".includes(character)) {
      endRun();
      continue;
    }
    // The character may be optional, or repeated.
    if (/^[*?{+]/.test(source.slice(at + 1, at + 2))) {
      if (source[at + 1] === "+") run += character;
      endRun();
    } else run += character;
  }
  endRun();
  return longest.isWellFormed() ? longest : "";
}

function classEnd(source: string, start: number): number | undefined {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "]") return at;
  }
  return undefined;
}

function groupEnd(source: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (character === "[") {
      const end = classEnd(source, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}
