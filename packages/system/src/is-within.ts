/** Is `path` this folder or something in it? Both real and absolute. */
export function isWithin(path: string, folder: string): boolean {
  if (folder === "/") return true;
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}
