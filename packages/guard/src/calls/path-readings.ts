import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;
const MAX_READINGS = 32;

/** Each returns other meanings that an agent gives a path. */
const NOTATIONS: readonly ((path: string) => readonly string[])[] = [
  // pi, OpenClaw and Gemini CLI omit the sign of a file in a prompt. Gemini CLI also omits slashes after it.
  (path) => (path.startsWith("@") ? [path.slice(1), path.replace(/^@[/\\]*/, "")] : []),
  (path) => (path.startsWith("file://") ? [path.slice("file://".length), ...fromUrl(path)] : []),
  (path) => [path.replaceAll("\0", ""), path.replaceAll(UNICODE_SPACES, " ")],
  (path) => (path.includes("%") ? decoded(path) : []),
];
/** pi reads these names of macOS instead of a missing file. */
const OTHER_NAMES: typeof NOTATIONS = [
  (path) => [path, path.normalize("NFD")],
  (path) => [path, path.replaceAll("'", "\u2019")],
  (path) => [path, path.replaceAll(/ (AM|PM)\./gi, "\u202F$1.")],
];

/**
 * Returns every path that an agent can mean: absolute, or below `~`. The literal path comes first. A file must be allowed under all of
 * them, because it depends on the agent and the disk which one counts.
 */
export function readPath(path: string, cwd: string): string[] {
  const found = new Set([path]);
  for (const each of found)
    for (const read of NOTATIONS)
      for (const other of read(each)) if (other !== "" && found.size < MAX_READINGS) found.add(other);
  const all = [...found].filter((each) => !each.startsWith("file://"));
  const paths = all.flatMap((each) => [resolve(cwd, each), ...(/^~(?:\/|$)/.test(each) ? [each] : [])]);
  return [...new Set([...paths, ...paths.flatMap(otherNames)])];
}

function otherNames(path: string): string[] {
  const names = OTHER_NAMES.reduce<readonly string[]>((found, change) => found.flatMap(change), [path]);
  return names.filter((each) => each !== path && existsSync(each));
}

/** Replaces a leading `~`. */
export function resolveHome(path: string, home: string): string {
  return /^~(?:\/|$)/.test(path) ? resolve(home, path.slice(2)) : path;
}

function fromUrl(url: string): string[] {
  try {
    return [fileURLToPath(url)];
  } catch {
    return [];
  }
}

function decoded(path: string): string[] {
  try {
    return [decodeURIComponent(path)];
  } catch {
    return [];
  }
}
