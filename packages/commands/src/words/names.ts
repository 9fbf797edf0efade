/** Only there a name identifies a program. */
const SYSTEM_FOLDERS = ["/bin", "/usr/bin"];

/** The file system resolves `..`, because of links. */
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

/** Removes the folder and the differences that file systems ignore; also the version (`m4`, `python3.11`, `gcc-12`). */
export function tableNames(name: string): readonly [full: string, unversioned: string] {
  const plain = baseName(name)
    .toLowerCase()
    .replace(/\.(?:exe|com|bat|cmd)$/, "");
  // The search for a version would be slow.
  if (plain.length > 255) return [plain, plain];
  return [plain, plain.replace(/[-.]?\d+(?:[.]\d+)*$/, "") || plain];
}

/** Returns whether the name is resolved on the `PATH`, or is in a system folder. */
export function isSystemName(name: string): boolean {
  return !name.includes("/") || isInSystemFolder(name);
}

export function isInSystemFolder(path: string): boolean {
  return SYSTEM_FOLDERS.includes(path.slice(0, path.lastIndexOf("/")));
}

/** Explains why a reader cannot recognize this program name. */
export function refuseName(name: string): string | undefined {
  if (name === "") return "the name of a program is empty";
  if (/^[\w./][\w./+@,:%-]*$/.test(name))
    return name.endsWith("/") ? "the name of a program is that of a folder" : undefined;
  if (/[^\x20-\x7e]/.test(name)) return "the name of a program contains unusual characters";
  if (name.includes(" ")) return "the name of a program contains a space";
  return "the name of a program contains characters with a meaning of their own";
}
