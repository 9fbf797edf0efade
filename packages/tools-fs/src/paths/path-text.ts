import { joinPath } from "@haft/utils";

export function relativeTo(folder: string, path: string): string {
  const prefix = joinPath(folder, "");
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Returns the path, quoted if it could be confused with another path or several lines. */
export function printablePath(path: string): string {
  return path.search(UNSEEN) < 0 ? path : quotedPath(path);
}

export function quotedPath(path: string): string {
  return JSON.stringify(path).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the path as JSON in ASCII, for names that look the same. */
export function visiblePath(path: string): string {
  return JSON.stringify(path).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function formatFolder(path: string): string {
  return path === "." ? "the workspace" : printablePath(path);
}
