import type { FileSystem } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { visiblePath } from "./path-text.ts";

/** In it names are encoded; the file system decodes them. */
export const FILE_URL = /^@?file:\/\//i;

/**
 * A path as what is there is spelled. A name that differs in its Unicode form alone (`é` as one character or as two) is
 * the name of what is there; and a name before `..` of which nothing is there is left out with it, so that `none/../x` is
 * `x`, also when `none` appears in the meantime. As it is where neither is needed.
 *
 * @throws `AMBIGUOUS_PATH` when a name is there in several forms, but not in this one
 */
export async function findExistingSpelling(fs: FileSystem, spelled: string): Promise<string> {
  const path = withPlainDots(spelled);
  const climbs = /(?:^|[/:])\.\.(?:\/|$)/.test(path);
  if ((isAscii(path) && !climbs) || (await isThere(fs, path))) return path;
  const start = await startOf(fs, path);
  const names = path.slice(start.length).split("/");
  /** What is there, and below it what is not. */
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

/** In a URL a dot may be encoded, and two of them are a way up all the same. */
function withPlainDots(path: string): string {
  return FILE_URL.test(path) ? path.replaceAll(/%2e/gi, ".") : path;
}

/** Where the names of a path begin: at `/`, in the home folder, in a root by its name, or in a URL. */
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
    // Of a path that cannot be looked at, whoever opens it says why.
    return true;
  }
}

/** Names of a folder that differ from this one in their Unicode form alone. */
async function sameNames(fs: FileSystem, folder: string, name: string): Promise<readonly string[]> {
  if (isAscii(name)) return [];
  const listed = await fs.list(folder).catch(() => undefined);
  const names = listed?.entries.map((entry) => entry.name) ?? [];
  return names.filter((other) => other.normalize() === name.normalize());
}

function ambiguous(path: string, names: readonly string[]) {
  const message = `There are ${names.length} files of the name in ${visiblePath(path)}, in different Unicode forms. Nothing was changed.`;
  const fix = `Use one of these exactly: ${names.map(visiblePath).join(", ")}.`;
  return fileToolError("AMBIGUOUS_PATH", message, { fix, details: { path, candidates: names } });
}
