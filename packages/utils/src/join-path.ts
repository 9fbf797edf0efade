/**
 * Joins a folder and a name. `.`, `/` and `name:` are also folders.
 *
 * @example
 * ```ts run
 * import { joinPath } from "@haft/utils";
 * joinPath(".", "a.ts"); // => "a.ts"
 * joinPath("docs:", "a.md"); // => "docs:a.md"
 * joinPath("src", "a.ts"); // => "src/a.ts"
 * ```
 */
export function joinPath(folder: string, name: string): string {
  if (folder === "." || folder === "") return name;
  return folder.endsWith("/") || folder.endsWith(":") ? folder + name : `${folder}/${name}`;
}
