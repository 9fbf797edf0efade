import { type FileOperation, memoryFailure } from "./failures.ts";

/** A test workspace has this root. */
export const ROOT = "/workspace";

/** `components` start at `/` and can contain `..`. The spelling may require a folder. */
export interface ParsedPath {
  components: readonly string[];
  mustBeFolder: boolean;
}

const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Accepts a path relative to the root, an absolute path, or a `file:` URL.
 *
 * @throws HaftError `INVALID_PATH`
 */
export function parsePath(asked: FileOperation): ParsedPath {
  const { path } = asked;
  const invalid = (why: string, fix: string) => memoryFailure("INVALID_PATH", asked, { why, fix });
  if (typeof path !== "string" || path === "")
    throw invalid("it is empty", "Name a file or folder; `.` is the workspace itself.");
  if (CONTROL.test(path))
    throw invalid("it contains a control character", "Leave out NUL, line breaks and the like.");
  if (!path.isWellFormed())
    throw invalid("it contains half a character (a lone surrogate)", "Spell the name as valid Unicode.");
  if (/^(?:[A-Za-z]:[\\/]|\\\\)/.test(path))
    throw invalid("it is a Windows path", "Use a path relative to the workspace, with forward slashes.");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw invalid(`it is longer than ${MAX_PATH_BYTES} bytes`, "Use a shorter path.");
  const absolute = absoluteOf(path, invalid);
  const parts = absolute.split("/");
  const components = parts.filter((part) => part !== "" && part !== ".");
  if (components.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES))
    throw memoryFailure("INVALID_PATH", asked);
  return { components, mustBeFolder: ["", "."].includes(parts.at(-1)!) };
}

function absoluteOf(path: string, invalid: (why: string, fix: string) => Error): string {
  if (path === "~" || path.startsWith("~/")) return `/home/user${path.slice(1)}`;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):\/\/(.*)$/s.exec(path);
  if (scheme === null) return path.startsWith("/") ? path : `${ROOT}/${path}`;
  const [, name, rest] = scheme;
  if (name!.toLowerCase() !== "file")
    throw invalid("it is a URL, not a file", "Use a path relative to the workspace.");
  if (!rest!.startsWith("/") || /%(?:2f|5c|00)/i.test(rest!))
    throw invalid("a file URL may only name this machine, in plain characters", "Use a plain path.");
  try {
    return decodeURIComponent(rest!);
  } catch {
    throw invalid("its percent-encoding is broken", "Use a plain path instead of a file URL.");
  }
}
