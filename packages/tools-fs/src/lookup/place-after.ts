import { fileToolError } from "../errors.ts";
import { joinPath, quoted, relativeTo } from "../paths/path-text.ts";

/**
 * What to go on after, relative to where a lookup starts. It need not be there any more.
 *
 * @param after as an earlier answer named it
 * @param said what was said, with more than the path
 * @throws HaftError `INVALID_ARGUMENTS` for what no answer about this start can have named: taken for a place all the same, it
 *   would show everything once more, or leave things out
 */
export function placeAfter(start: string, after: string, said = after): string {
  const path = relativeTo(start, after);
  const prefix = joinPath(start, "");
  if (isPlain(path) && after.startsWith(prefix)) return path;
  const where = prefix === "" ? "they are relative and go down only" : `they begin with ${quoted(prefix)}`;
  throw notOfThese(said, `path of this listing: ${where}`);
}

/**
 * The same for names in one folder.
 *
 * @throws HaftError `INVALID_ARGUMENTS`
 */
export function nameAfter(after: string): string {
  // As folders are shown.
  const name = after.replace(/\/$/, "");
  if (name.includes("/") || !isPlain(name)) throw notOfThese(after, "name of an entry");
  return name;
}

/** The error for what is none of them. @param what none of which it is */
export function notOfThese(after: string, what: string): Error {
  return fileToolError("INVALID_ARGUMENTS", `after=${quoted(after)} is no ${what}.`, {
    fix: "Use what the answer before named to go on after, or leave `after` out to begin at the start.",
    details: { after },
  });
}

function isPlain(path: string): boolean {
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}
