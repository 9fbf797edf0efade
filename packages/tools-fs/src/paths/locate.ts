import { type FileSystem, HaftError } from "@haft/plugin-sdk";
import { rewordError } from "../errors.ts";
import { findExistingSpelling, FILE_URL } from "./existing-spelling.ts";

export interface ChangeTarget {
  path: string;
  /** Existing spelling, which may differ in Unicode form. */
  at: string;
  /** Resolves links, except for the last component of an unlink target. */
  real: string;
  /** Key in the queue, across all workspaces of the process. */
  key: string;
  unlink: boolean;
  /** The target is a symbolic link itself. */
  link: boolean;
}

/**
 * The target and its folders may not exist yet.
 *
 * @param unlink For removing or renaming: a final link means itself.
 * @param exact Ignores other Unicode forms of the last name.
 * @throws `AMBIGUOUS_PATH` if it exists in several forms
 */
export async function locate(
  fs: FileSystem,
  target: string,
  path: string,
  { unlink = false, exact = false }: { unlink?: boolean; exact?: boolean } = {},
): Promise<ChangeTarget> {
  try {
    const folder = getParentPath(path);
    const at =
      exact && folder !== undefined
        ? childPath(await findExistingSpelling(fs, folder), getBaseName(path))
        : await findExistingSpelling(fs, path);
    const link = unlink && (await fs.stat(at, { follow: false }))?.type === "symlink";
    const real = link
      ? childPath(await realPath(fs, getParentPath(at) ?? "."), getBaseName(at))
      : await realPath(fs, at);
    return { path, at, real, key: `${target}\0${real}`, unlink, link };
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "OUTSIDE_WORKSPACE") throw thrown;
    const message = `Cannot write outside workspace directory: ${JSON.stringify(path)} leads out of it.`;
    throw rewordError(thrown, message, { receipt: "none" });
  }
}

/** Also true below a file instead of a folder. */
export function isAbsent(error: unknown): boolean {
  return HaftError.is(error) && (error.code === "FILE_NOT_FOUND" || error.code === "NOT_A_DIRECTORY");
}

async function realPath(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    const parent = getParentPath(path);
    const name = FILE_URL.test(path) ? decodeURIComponent(getBaseName(path)) : getBaseName(path);
    if (!isAbsent(error) || parent === undefined || name === "..") throw error;
    const folder = await realPath(fs, parent);
    return name === "." ? folder : childPath(folder, name);
  }
}

const SEPARATOR = process.platform === "win32" ? /[\\/]/ : /\//;

function lastSeparator(path: string): number {
  for (let at = path.length - 1; at >= 0; at -= 1) if (SEPARATOR.test(path[at] as string)) return at;
  return -1;
}

export function getParentPath(path: string): string | undefined {
  const trimmed = path.length > 1 && SEPARATOR.test(path.at(-1) as string) ? path.slice(0, -1) : path;
  const at = lastSeparator(trimmed);
  if (at < 0) return trimmed === "." || trimmed === "" ? undefined : ".";
  if (at === 0) return trimmed.length === 1 ? undefined : trimmed.slice(0, 1);
  return trimmed.slice(0, at);
}

export function getBaseName(path: string): string {
  const trimmed = path.length > 1 && SEPARATOR.test(path.at(-1) as string) ? path.slice(0, -1) : path;
  return trimmed.slice(lastSeparator(trimmed) + 1);
}

export function childPath(folder: string, name: string): string {
  return SEPARATOR.test(folder.at(-1) ?? "") ? folder + name : `${folder}/${name}`;
}
