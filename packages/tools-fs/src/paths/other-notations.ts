import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { getParentPath } from "./locate.ts";
import { printablePath, quotedPath } from "./path-text.ts";

interface Notation {
  name: string;
  /** Returns the path in the notation of the workspace, or `undefined` for a path in another notation. */
  read: (path: string) => string | undefined;
  /** The path may also name a new file in an existing folder. */
  mayBeNew?: true;
}

const createReader = (pattern: RegExp, by: string) => (path: string) =>
  pattern.test(path) ? path.replace(pattern, by) : undefined;

const NOTATIONS: readonly Notation[] = [
  { name: "with a backslash before a space, as in a shell", read: createReader(/\\(?= )/g, "") },
  { name: "with backslashes, as in Windows", read: createReader(/\\/g, "/"), mayBeNew: true },
  { name: "in quotes", read: createReader(/^(["'`])(.+)\1$/s, "$2") },
  { name: "with a line number", read: createReader(/^(.+?):\d+(?::\d+)?$/s, "$1") },
  { name: "with the prefix of a diff", read: createReader(/^[ab]\/(?=.)/, "") },
  { name: "with the escapes of a URL", read: decodeUrl },
];

/** A variable of a shell. Nothing replaces it in a path. */
const VARIABLE = /^(?:\$\{?\w+\}?|%\w+%)(?=[\\/])/;

function decodeUrl(path: string): string | undefined {
  if (!/%[\da-f]{2}/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Returns an existing path that the path means in the notation of another system, such as `src\app.ts`. */
export async function findMeantPath(
  fs: FileSystem,
  path: string,
): Promise<{ path: string; notation: string } | undefined> {
  for (const { name, read } of NOTATIONS) {
    const meant = read(path);
    if (meant !== undefined && (await exists(fs, meant))) return { path: meant, notation: name };
  }
  return undefined;
}

/**
 * Rejects a new file whose path means something else in another system, so that no odd file appears beside the intended one.
 *
 * @throws `AMBIGUOUS_PATH`
 */
export async function requireNotation(fs: FileSystem, path: string): Promise<void> {
  if (!/[\\:%$"'`]|^[ab]\//.test(path)) return;
  const [variable] = VARIABLE.exec(path) ?? [];
  if (variable !== undefined && !(await exists(fs, variable)))
    throw otherNotationError(path, `with the variable ${variable}, which nothing replaces here`, undefined);
  for (const { name, read, mayBeNew } of NOTATIONS) {
    const meant = read(path);
    if (meant === undefined) continue;
    const folder = getParentPath(meant) ?? ".";
    const isMeant =
      (await exists(fs, meant)) || (mayBeNew === true && folder !== "." && (await exists(fs, folder)));
    if (isMeant) throw otherNotationError(path, name, meant);
  }
}

/** Also true outside of the workspace: the path then means a place that cannot be changed. */
async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path, { follow: false })) !== undefined;
  } catch {
    return true;
  }
}

function otherNotationError(path: string, notation: string, meant: string | undefined): HaftError {
  const message = `${quotedPath(path)} is written ${notation}. Nothing was changed.`;
  const fix = meant === undefined ? "Write the path itself." : `Use ${printablePath(meant)}.`;
  return fileToolError("AMBIGUOUS_PATH", message, { fix, receipt: "none", details: { path, meant } });
}
