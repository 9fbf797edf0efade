export interface GitEntry {
  /** Section and name in lower case, the part between them unchanged. */
  key: string;
  /** `undefined` for a name without a value, which means true. */
  value: string | undefined;
}

const SECTION = /^\[([A-Za-z0-9.-]+)\]/;
const WITH_SUBSECTION = /^\[([A-Za-z0-9.-]+)[^\S\n]+"((?:[^"\\\n\0]|\\[^\n\0])*)"\]/;
const NAME = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*/;
const SPACE = /[ \t\n\r]/;
/** Every byte of folders, files and addresses counts. */
const EXACT = /^(?:core\.(?:hookspath|worktree)|include\.|includeif\.|remote\.|url\.|extensions\.)/;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** Returns `undefined` for a file that git would reject or could read differently. */
export function readGitConfig(text: string): GitEntry[] | undefined {
  if (text.includes("\0")) return undefined;
  const source = text.replace(/^\u{feff}/u, "").replaceAll("\r\n", "\n");
  const entries: GitEntry[] = [];
  let section: string | undefined;
  for (let at = 0; at < source.length;) {
    const char = source.charAt(at);
    if (SPACE.test(char)) {
      at += 1;
    } else if (char === "#" || char === ";") {
      at = endOfLine(source, at);
    } else if (char === "[") {
      const rest = source.slice(at, endOfLine(source, at));
      const plain = SECTION.exec(rest) ?? WITH_SUBSECTION.exec(rest);
      if (plain === null) return undefined;
      const [all, name = "", subsection] = plain;
      section =
        name.toLowerCase() + (subsection === undefined ? "" : `.${subsection.replaceAll(/\\(.)/g, "$1")}`);
      at += all.length;
    } else {
      const [all, name = ""] = NAME.exec(source.slice(at, endOfLine(source, at))) ?? [];
      if (all === undefined || section === undefined) return undefined;
      at += all.length;
      const key = `${section}.${name.toLowerCase()}`;
      if (at >= source.length || source.charAt(at) === "\n") {
        entries.push({ key, value: undefined });
        continue;
      }
      if (source.charAt(at) !== "=") return undefined;
      const read = readValue(source, at + 1);
      // Invalid UTF-8, and space that versions of git read differently.
      if (
        read === undefined ||
        (EXACT.test(key) && (read.isOdd || `${key}${read.value}`.includes("\u{fffd}")))
      )
        return undefined;
      entries.push({ key, value: read.value });
      at = read.end;
    }
  }
  return entries;
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

function readValue(source: string, from: number): { value: string; end: number; isOdd: boolean } | undefined {
  let value = "";
  let space = "";
  let isOdd = false;
  let isQuoted = false;
  let isComment = false;
  for (let at = from; ; at++) {
    const char = source.charAt(at);
    if (char === "" || char === "\n") return isQuoted ? undefined : { value, end: at, isOdd };
    if (isComment) continue;
    if (!isQuoted && SPACE.test(char)) {
      if (value !== "") space += char;
      continue;
    }
    if (!isQuoted && (char === ";" || char === "#")) {
      isComment = true;
      continue;
    }
    isOdd ||= space.includes("\t") || space.includes("\r");
    value += space.replaceAll(/[\t\r]/g, " ");
    space = "";
    if (char === '"') {
      isQuoted = !isQuoted;
    } else if (char === "\\") {
      at += 1;
      const next = source.charAt(at);
      if (next === "\n" || next === "") continue;
      if (!Object.hasOwn(ESCAPED, next)) return undefined;
      value += ESCAPED[next];
    } else {
      value += char;
    }
  }
}

/** The second part is between the first and the last dot. */
export function parseGitKey(key: string): {
  section: string;
  subsection: string | undefined;
  name: string;
} {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return {
    section: key.slice(0, first),
    subsection: first === last ? undefined : key.slice(first + 1, last),
    name: key.slice(last + 1),
  };
}
