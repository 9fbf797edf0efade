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

/** Control characters, line ends, and what changes the direction of text or is not seen at all. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** A path as it is, unless it could be taken for another one, or for more than one line: then quoted. */
export function printablePath(path: string): string {
  return path.search(UNSEEN) < 0 ? path : quotedPath(path);
}

/** A path as JSON, in printing characters only. */
export function quotedPath(path: string): string {
  return JSON.stringify(path).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A path as JSON in ASCII only: for names that look the same and are not. */
export function visiblePath(path: string): string {
  return JSON.stringify(path).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function formatFolder(path: string): string {
  return path === "." ? "the workspace" : printablePath(path);
}
