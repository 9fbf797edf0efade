import type { FileSystem } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { visiblePath } from "./path-text.ts";

/** Names in a URL are encoded. The file system decodes them. */
export const FILE_URL = /^@?file:\/\//i;

/**
 * Replaces a name that differs only in Unicode form by the existing name. A missing name before `..` is removed: `none/../x` becomes `x`,
 * even if `none` appears later.
 *
 * @throws `AMBIGUOUS_PATH` if a name exists in several other forms
 */
export async function findExistingSpelling(fs: FileSystem, spelled: string): Promise<string> {
  const path = withPlainDots(spelled);
  const climbs = /(?:^|[/:])\.\.(?:\/|$)/.test(path);
  if ((isAscii(path) && !climbs) || (await isThere(fs, path))) return path;
  const start = await startOf(fs, path);
  const names = path.slice(start.length).split("/");
  const way: string[] = [];
  let missing: string[] = [];
  const at = (...more: readonly string[]): string => start + [...way, ...more].join("/");
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    if (missing.length > 0) {
      if (name === "..") missing.pop();
      else if (isLast || (name !== "" && name !== ".")) missing.push(name);
    } else if (name === "" || name === "." || name === ".." || (await isThere(fs, at(name)))) way.push(name);
    else {
      const same = await sameNames(fs, at() || ".", name);
      if (same.length > 1) throw ambiguous(path, same);
      if (same.length === 1) way.push(...same);
      else missing = [name];
    }
  }
  return at(...missing) || ".";
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** In a URL, encoded dots also form `..`. */
function withPlainDots(path: string): string {
  return FILE_URL.test(path) ? path.replaceAll(/%2e/gi, ".") : path;
}

/** Returns the prefix before the names: `/`, the home folder, a named root, or a URL. */
async function startOf(fs: FileSystem, path: string): Promise<string> {
  const [start = ""] = /^@?(?:file:\/\/[^/]*\/|~\/|\/)/i.exec(path) ?? [];
  if (start !== "") return start;
  const [root = ""] = /^@?[A-Za-z][\w-]*:\/*/.exec(path) ?? [];
  return root !== "" && (await isThere(fs, root)) ? root : "";
}

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path, { follow: false })) !== undefined;
  } catch {
    // An unreadable path is reported when it is opened.
    return true;
  }
}

async function sameNames(fs: FileSystem, folder: string, name: string): Promise<readonly string[]> {
  if (isAscii(name)) return [];
  const listed = await fs.list(folder).catch(() => undefined);
  const names = listed?.entries.map((entry) => entry.name) ?? [];
  return names.filter((other) => other.normalize() === name.normalize());
}

function ambiguous(path: string, names: readonly string[]) {
  const message = `There are ${names.length} files with the name in ${visiblePath(path)}, in different Unicode forms. Nothing was changed.`;
  const fix = `Use one of these exactly: ${names.map(visiblePath).join(", ")}.`;
  return fileToolError("AMBIGUOUS_PATH", message, { fix, details: { path, candidates: names } });
}
