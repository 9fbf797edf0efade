import { locateFile } from "../words/names.ts";
import type { ScriptContext } from "./script-context.ts";

export interface Character {
  char: string;
  quoted: boolean;
}

export type GlobResult = { names: readonly string[] } | { unclear: string };

const MAX_NAMES = 2_000;
const MAX_SEGMENTS = 32;
const SIGNS = /[*?[]/;

export function isGlob(word: readonly Character[]): boolean {
  return word.some(({ char, quoted }) => !quoted && SIGNS.test(char));
}

export function patternReason(word: readonly Character[]): string {
  const sign = word.find(({ char, quoted }) => !quoted && SIGNS.test(char))?.char ?? "*";
  return `it uses a pattern (${sign}) that becomes the names of files`;
}

/**
 * Returns the file names that match a pattern, sorted by their bytes, as shells do without a locale. It supports only syntax that every
 * letters and digits.
 */
export async function expandGlob(
  word: readonly Character[],
  cwd: string,
  context: ScriptContext,
): Promise<GlobResult> {
  const segments = split(word);
  const unclear = { unclear: patternReason(word) };
  const texts = segments.map((segment) => segment.map(({ char }) => char).join(""));
  if (texts.includes("..") || texts.length > MAX_SEGMENTS) return unclear;
  let paths = [""];
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    const step = await expandSegment(segment, paths, cwd, context);
    if (step === undefined || step.length > MAX_NAMES) return unclear;
    paths = isLast ? step : step.map((path) => `${path}/`);
  }
  const there: string[] = [];
  const lastIsName = !isGlob(segments.at(-1) ?? []);
  for (const path of paths) {
    // Its end was not checked: `*/` and `*/index.ts`.
    const type = lastIsName ? await context.getType(locateFile(path, cwd)) : "file";
    if (type === undefined || (path.endsWith("/") && type !== "folder")) continue;
    there.push(path);
  }
  return { names: there.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) };
}

/** `undefined` if the matches are uncertain. */
async function expandSegment(
  segment: readonly Character[],
  paths: readonly string[],
  cwd: string,
  context: ScriptContext,
): Promise<string[] | undefined> {
  if (!isGlob(segment)) {
    const text = segment.map(({ char }) => char).join("");
    return paths.map((path) => path + text);
  }
  const pattern = compile(segment);
  if (pattern === undefined) return undefined;
  const found: string[] = [];
  for (const path of paths) {
    const names = await context.list(path === "" ? cwd : locateFile(path, cwd));
    if (names === undefined) return undefined;
    for (const name of names) {
      if (name.startsWith(".") && !pattern.dots) continue;
      // The locale decides how many characters its bytes are.
      if (pattern.counts && /[^ -~]/.test(name)) return undefined;
      if (!fits(name, pattern)) continue;
      if (name.includes("\ufffd")) return undefined;
      found.push(path + name);
    }
    if (found.length > MAX_NAMES) return undefined;
  }
  return found;
}

/** A star matches any number of characters. */
type Part = "star" | ((char: string) => boolean);

interface Pattern {
  parts: readonly Part[];
  /** It also matches names with a dot. */
  dots: boolean;
  counts: boolean;
}

function compile(segment: readonly Character[]): Pattern | undefined {
  const parts: Part[] = [];
  let counts = false;
  for (let at = 0; at < segment.length; at++) {
    const { char, quoted } = segment[at] as Character;
    if (char === "") continue;
    if (quoted || !SIGNS.test(char)) parts.push((other) => other === char);
    else if (char === "*") {
      if (parts.at(-1) !== "star") parts.push("star");
    } else {
      const set = char === "?" ? { test: () => true, end: at } : readSet(segment, at + 1);
      if (set === undefined) return undefined;
      parts.push(set.test);
      counts = true;
      at = set.end;
    }
  }
  const first = segment.find(({ char }) => char !== "");
  const pattern = { parts, dots: first?.char === ".", counts };
  return pattern.dots && (fits(".", pattern) || fits("..", pattern)) ? undefined : pattern;
}

/** Matches in time proportional to the product of both lengths: only the last star is retried. */
function fits(name: string, { parts }: Pattern): boolean {
  const chars = Array.from(name);
  let at = 0;
  let part = 0;
  let star: { at: number; part: number } | undefined;
  while (at < chars.length) {
    const now = parts[part];
    if (now === "star") {
      star = { at, part };
      part += 1;
    } else if (now?.(chars[at] ?? "") === true) {
      at += 1;
      part += 1;
    } else if (star !== undefined) {
      star.at += 1;
      at = star.at;
      part = star.part + 1;
    } else return false;
  }
  return parts.slice(part).every((one) => one === "star");
}

/** Ranges must not depend on the locale. */
function readSet(
  segment: readonly Character[],
  from: number,
): { test: (char: string) => boolean; end: number } | undefined {
  const end = segment.findIndex(({ char, quoted }, at) => at > from && !quoted && char === "]");
  if (end < 0) return undefined;
  const inside = segment.slice(from, end);
  if (inside.some(({ quoted }) => quoted)) return undefined;
  const text = inside.map(({ char }) => char).join("");
  const [, not, set] = /^(!?)((?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.,+=@])+)$/.exec(text) ?? [];
  if (set === undefined) return undefined;
  const ranges = set.match(/.-./g) ?? [];
  // Shells disagree about reversed ranges.
  if (ranges.some((range) => range.charAt(0) > range.charAt(2))) return undefined;
  const one = new RegExp(`^[${set}]$`);
  return { test: (char) => one.test(char) !== (not === "!"), end };
}

function split(word: readonly Character[]): Character[][] {
  const segments: Character[][] = [[]];
  for (const one of word) {
    if (one.char === "/") segments.push([]);
    else segments.at(-1)?.push(one);
  }
  return segments;
}
