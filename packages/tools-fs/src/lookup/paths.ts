/** A path below a folder; `.`, `/` and `name:` are folders too. */
export function joinPath(folder: string, name: string): string {
  if (folder === "." || folder === "") return name;
  return folder.endsWith("/") || folder.endsWith(":") ? folder + name : `${folder}/${name}`;
}

/** The path below `folder`, when it is below it; else the path as it is. */
export function relativeTo(folder: string, path: string): string {
  const prefix = joinPath(folder, "");
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** A path on one line: names with control characters are quoted. */
export function printable(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}

/** A starting place, in a sentence. */
export function placeName(path: string): string {
  return path === "." ? "the workspace" : printable(path);
}
