export type GitSetting = readonly [key: string, value: string];

const NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const SECTION = /\[\s*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\s*\]/y;
const BLANK = /[ \t\r\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** Skips invalid lines, for which git would reject the file, to find no less. Does not read includes. */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = "";
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const skipLine = (): void => {
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end + 1;
  };
  for (;;) {
    match(BLANK);
    if (at >= text.length) return settings;
    const sign = text[at]!;
    if (sign === "#" || sign === ";") {
      skipLine();
      continue;
    }
    if (sign === "[") {
      const found = match(SECTION);
      if (found === null) skipLine();
      else section = sectionName(found[1]!, found[2]);
      continue;
    }
    const name = match(NAME)?.[0];
    if (name === undefined) {
      skipLine();
      continue;
    }
    const [value, end] = readValue(text, at);
    at = end;
    if (section !== "" && value !== undefined) settings.push([`${section}.${name.toLowerCase()}`, value]);
  }
}

function sectionName(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase();
  return subsection === undefined ? section : `${section}.${subsection.replaceAll(/\\(.)/gs, "$1")}`;
}

function readValue(text: string, from: number): [value: string | undefined, end: number] {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  const sign = text[at];
  if (sign === undefined || sign === "\n") return ["true", at + 1];
  if (sign === "\r" && text[at + 1] === "\n") return ["true", at + 2];
  if (sign !== "=") {
    const end = text.indexOf("\n", at);
    const isComment = sign === "#" || sign === ";";
    return [isComment ? "true" : undefined, end < 0 ? text.length : end + 1];
  }
  return readAssigned(text, at + 1);
}

function readAssigned(text: string, from: number): [value: string | undefined, end: number] {
  let value = "";
  let blanks = "";
  let isQuoted = false;
  let isComment = false;
  let isWrong = false;
  for (let at = from; ; at++) {
    let sign = text[at];
    if (sign === "\r" && text[at + 1] === "\n") sign = text[++at];
    if (sign === undefined || sign === "\n") return [isWrong ? undefined : value, at + 1];
    if (isComment) continue;
    if (!isQuoted && (sign === " " || sign === "\t" || sign === "\v" || sign === "\f" || sign === "\r")) {
      if (value !== "") blanks += sign;
      continue;
    }
    if (!isQuoted && (sign === "#" || sign === ";")) {
      isComment = true;
      continue;
    }
    value += blanks;
    blanks = "";
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign !== "\\") value += sign;
    else {
      if (text[at + 1] === "\r" && text[at + 2] === "\n") at++;
      const next = text[++at];
      if (next === "\n") continue;
      const escaped = ESCAPES[next ?? ""];
      if (escaped === undefined) isWrong = true;
      else value += escaped;
      if (next === undefined) return [undefined, at + 1];
    }
  }
}
