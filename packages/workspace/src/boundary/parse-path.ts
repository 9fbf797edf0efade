import type { HaftError } from "@haft/core";
import { workspaceError } from "../errors.ts";

export interface PathContext {
  home: string;
  isRoot(name: string): boolean;
  /** Decides whether the `@` of `@name` is dropped. Default: never. */
  existsInRoot?(name: string): boolean;
}

/** `..` remains unresolved, because its meaning depends on links. */
export interface ParsedPath {
  /** `""` for the main root, `undefined` for `/`. */
  root: string | undefined;
  components: readonly string[];
  folder: boolean;
}

/** PATH_MAX of Linux counts the closing NUL. */
const MAX_PATH_BYTES = 4095;

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const WINDOWS = /^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/;
const URL_SCHEME = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//;
const ROOT_NAME = /^([A-Za-z][A-Za-z0-9_-]+):/;

/**
 * Parses a path: relative to the main root, absolute, `name:path` for a named root, `~/path` or `file:///path`. Drops a leading `@` of chat
 * interfaces only if just the name without it exists. Backslashes are plain characters.
 * @throws HaftError `INVALID_PATH`
 */
export function parsePath(spelled: string, context: PathContext): ParsedPath {
  checkCharacters(spelled, spelled);
  const bare = spelled.startsWith("@") && isMention(spelled, context) ? spelled.slice(1) : spelled;
  return parseBare(bare, spelled, context);
}

/** `@` is always dropped before anything but a plain name; otherwise existing files decide. */
function isMention(spelled: string, context: PathContext): boolean {
  const bare = parseBare(spelled.slice(1), spelled, context);
  if (bare.root !== "") return true;
  const first = spelled.slice(1).split("/", 1)[0]!;
  if (first === "" || first === "." || first === "..") return true;
  const exists = (name: string): boolean => context.existsInRoot?.(name) === true;
  return !exists(`@${first}`) && exists(first);
}

function parseBare(path: string, spelled: string, context: PathContext): ParsedPath {
  if (path.startsWith("/")) return split(path, undefined);
  if (path === "~" || path.startsWith("~/")) return split(context.home + path.slice(1), undefined);
  if (WINDOWS.test(path)) {
    const fix = "Use a path relative to the workspace, with forward slashes.";
    throw invalid(spelled, "it is a Windows path", fix);
  }
  const url = URL_SCHEME.exec(path);
  if (url !== null && !context.isRoot(url[1]!)) {
    if (url[1]!.toLowerCase() !== "file") {
      throw invalid(spelled, "it is a URL, not a file", "Use a path relative to the workspace.");
    }
    return split(fromFileUrl(path.slice("file://".length), spelled), undefined);
  }
  const named = ROOT_NAME.exec(path);
  if (named !== null && context.isRoot(named[1]!)) return split(path.slice(named[0].length), named[1]);
  return split(path, "");
}

function split(path: string, root: string | undefined): ParsedPath {
  const parts = path.split("/");
  const last = parts.at(-1)!;
  return {
    root,
    components: parts.filter((part) => part !== "" && part !== "."),
    folder: last === "" || last === ".",
  };
}

function fromFileUrl(rest: string, spelled: string): string {
  const slash = rest.indexOf("/");
  const host = slash === -1 ? rest : rest.slice(0, slash);
  if (slash === -1 || (host !== "" && host.toLowerCase() !== "localhost")) {
    throw invalid(spelled, "a file URL may only name this machine", "Use a path relative to the workspace.");
  }
  const encoded = rest.slice(slash);
  if (/%(?:2f|5c)/i.test(encoded)) {
    const fix = "Spell the path out, without `%2F` or `%5C`.";
    throw invalid(spelled, "it hides a separator behind percent-encoding", fix);
  }
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    throw invalid(spelled, "its percent-encoding is broken", "Use a plain path instead of a file URL.");
  }
  checkCharacters(decoded, spelled);
  return decoded;
}

function checkCharacters(path: string, spelled: string): void {
  if (path === "" || path === "@") {
    throw invalid(spelled, "it is empty", "Name a file or folder; `.` is the workspace itself.");
  }
  if (CONTROL.test(path)) {
    const fix = "Leave out NUL, line breaks and the like.";
    throw invalid(spelled, "it contains a control character", fix);
  }
  if (!path.isWellFormed()) {
    const fix = "Spell the name as valid Unicode.";
    throw invalid(spelled, "it contains half a character (a lone surrogate)", fix);
  }
  if (path.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalid(spelled, `it is longer than ${MAX_PATH_BYTES} bytes`, "Use a shorter path.");
  }
}

function invalid(spelled: string, why: string, fix: string): HaftError {
  const message = `${quote(spelled)} is not a usable path: ${why}.`;
  return workspaceError("INVALID_PATH", message, { fix, details: { path: spelled }, receipt: "none" });
}

export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 197)}...` : path);
}
