/** Where the programs of the system are: only there a name says what a program does. */
const SYSTEM_FOLDERS = ["/bin", "/usr/bin"];

/** Absolute, `..` left to the file system, for the sake of links. */
export function locateFile(file: string, cwd: string): string {
  return file.startsWith("/") ? file : `${cwd.replace(/\/$/, "")}/${file}`;
}

/**
 * Returns the last part of a path.
 *
 * @example
 * ```ts run
 * import { baseName } from "@haft/commands";
 *
 * baseName("/usr/bin/git"); // => "git"
 * ```
 */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * What a program may be called in tables: without its folder and the differences that file systems ignore, with and
 * without its version (`m4`, `python3.11`, `gcc-12`).
 */
export function tableNames(name: string): readonly [full: string, unversioned: string] {
  const plain = baseName(name)
    .toLowerCase()
    .replace(/\.(?:exe|com|bat|cmd)$/, "");
  // No file has a longer name, and the search for a version would take its time.
  if (plain.length > 255) return [plain, plain];
  return [plain, plain.replace(/[-.]?\d+(?:[.]\d+)*$/, "") || plain];
}

/** Whether it is looked for on the `PATH`, or lies where the programs of the system are. */
export function isSystemName(name: string): boolean {
  return !name.includes("/") || isInSystemFolder(name);
}

/** Whether this file lies directly in a folder that belongs to the system. */
export function isInSystemFolder(path: string): boolean {
  return SYSTEM_FOLDERS.includes(path.slice(0, path.lastIndexOf("/")));
}

/** Why this cannot be the name of a program that somebody can judge by reading it. */
export function refuseName(name: string): string | undefined {
  if (name === "") return "the name of a program is empty";
  if (/^[\w./][\w./+@,:%-]*$/.test(name))
    return name.endsWith("/") ? "the name of a program is that of a folder" : undefined;
  if (/[^\x20-\x7e]/.test(name)) return "the name of a program contains unusual characters";
  if (name.includes(" ")) return "the name of a program contains a space";
  return "the name of a program contains characters with a meaning of their own";
}
