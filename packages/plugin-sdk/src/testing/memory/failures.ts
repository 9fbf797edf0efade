import { HaftError, type HaftErrorOptions } from "@haft/core";

/** Every workspace uses these texts and codes; see docs/reference/errors.md. */
const KINDS = {
  ABORTED: ["operational", "the call was aborted", "Repeat the call if it is still wanted."],
  CONSENT_NEEDED: [
    "policy",
    "it is one of the settings of a project that start programs, and nobody agreed to change it",
    "Use a tool that can ask, or ask the user.",
  ],
  FILE_CHANGED: [
    "operational",
    "it changed since it was read",
    "Read it again and repeat the change on what is there now.",
  ],
  FILE_EXISTS: ["input", "something stands there already", "Choose another name, or replace it on purpose."],
  FILE_NOT_FOUND: ["input", "nothing has this path", "List the folder to see what is there."],
  FILE_TOO_LARGE: [
    "input",
    "it is larger than what one read takes",
    "Work on a range of it with `offset` and `length`.",
  ],
  HARD_LINKED: ["policy", "it has several names (hard links)", "Write a copy of its own in its place."],
  INVALID_PATH: [
    "input",
    "no file system can hold such a name",
    "Use shorter names (at most 255 bytes each).",
  ],
  IS_DIRECTORY: ["input", "it is a folder", "List the folder, or name a file in it."],
  NOT_A_DIRECTORY: [
    "input",
    "a file stands where a folder is needed",
    "Check the path; to put a folder there, remove the file first.",
  ],
  NOT_A_FILE: ["input", "it is no regular file", "Name a regular file."],
  OUTSIDE_WORKSPACE: [
    "policy",
    "it leads outside of the workspace",
    "Use a path inside the workspace, or ask for the folder to be added as a root.",
  ],
  READ_ONLY: ["policy", "it is in a read-only place", "Write somewhere else."],
} as const satisfies Readonly<Record<string, readonly [HaftErrorOptions["category"], string, string]>>;

export type MemoryFailureCode = keyof typeof KINDS;

/** Describes the operation in words, and the path as written. */
export interface FileOperation {
  verb: string;
  path: string;
}

/** The operation changed nothing. */
export function memoryFailure(
  code: MemoryFailureCode,
  { verb, path }: FileOperation,
  more: { why?: string; fix?: string; details?: Record<string, unknown> } = {},
): HaftError {
  const [category, why, fix] = KINDS[code];
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 197)}...` : path);
  return new HaftError(code, `Cannot ${verb} ${shown}: ${more.why ?? why}.`, {
    category,
    fix: more.fix ?? fix,
    receipt: "none",
    details: { path, ...more.details },
  });
}
