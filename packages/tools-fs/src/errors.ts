import { defineErrors, HaftError, type HaftErrorOptions } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";

/** Source of docs/reference/errors.md. Entries without a meaning are explained elsewhere. */
export const fileToolError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  ABORTED: {
    category: "operational",
    receipt: "none",
    fix: "Call again if the change is still wanted.",
  },
  AMBIGUOUS_PATH: input(
    "The path can mean another file: its name looks the same as an existing name, or it is in the notation of another system.",
    "Use one of the names in the message, exactly.",
  ),
  BINARY_FILE: input(
    "The file is not text. Its bytes are not shown, and it cannot be changed as text.",
    "Use a program made for its format, or replace the whole file with `write`.",
  ),
  CHANGE_FAILED: operational(
    "A change failed for a reason without its own code. The message states what was rolled back.",
    "Check the files in the message before you repeat it.",
  ),
  EDIT_AMBIGUOUS: input(
    "The old text occurs several times, more often than one call can replace, or another number of times than expected. The message states which. Nothing was changed.",
    "Add lines before or after it until it is unique, set `replaceAll`, or set `expectedCount` to the number in the message.",
    "none",
  ),
  EDIT_INVALID: input(
    "An edit lacks its old or new text, its old text is empty, or two edits change the same text. Nothing was changed.",
    "Send `path` with `oldText` and `newText`, or `edits` with both in each, every one matched against the original file.",
    "none",
  ),
  EDIT_NOT_FOUND: input(
    "The old text is not in the file. The message shows the nearest text and the difference. Nothing was changed.",
    "Read the file again and copy the text exactly.",
    "none",
  ),
  FILE_BUSY: operational(
    "Another process keeps the file locked, or writes to it.",
    "Repeat the call later.",
    "none",
  ),
  FILE_CHANGED: {
    category: "operational",
    fix: "Read it again and repeat the change.",
  },
  FILE_EXISTS: {
    category: "input",
    receipt: "none",
    fix: "Choose another destination, or delete the existing file first.",
  },
  FILE_NOT_FOUND: {
    category: "input",
    fix: "Check the path; the message names similar paths. List the folder to see its content.",
  },
  FILE_TOO_LARGE: {
    category: "input",
    receipt: "none",
    fix: "Change it with a command that streams it, or read it in pages.",
  },
  IMAGE_INVALID: input(
    "The image is empty, damaged, truncated, of a rare kind, or of another kind than its extension.",
    "Open it with an image program and save it again, as PNG if in doubt.",
  ),
  INVALID_ARGUMENTS: {
    category: "input",
    fix: "Use the value from the previous answer, or leave it out to begin at the start.",
  },
  INVALID_PATTERN: input(
    "The search pattern is not a regular expression, or the glob is malformed.",
    "Correct it at the position in the message, or search for literal text.",
  ),
  INVALID_TEXT: input(
    "The text contains half of a surrogate pair, or a character that the encoding of the file lacks.",
    "Send the complete character, or write it in another way, such as an escape of the file's format.",
    "none",
  ),
  IS_DIRECTORY: {
    category: "input",
    fix: "Name one of its files, or list it with `ls`.",
  },
  JOURNAL_FAILED: operational(
    "The journal that makes changes undoable cannot be used.",
    "Make the journal's folder writable or free space there, or name another state folder: `--state DIR`, `HAFT_STATE_DIR`, or `stateDir` of the host.",
    "none",
  ),
  LOOKUP_TOO_SLOW: operational(
    "The workspace did not list the folder in time.",
    "Name a folder below it, or try again later: it may be on a file system that does not answer.",
  ),
  NOT_A_DIRECTORY: {
    category: "input",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  PATCH_CONFLICT: input(
    "Parts of the patch do not match the files. The message lists each. No part of the patch was applied.",
    "Correct these parts, keep the rest, and send the whole patch again.",
    "none",
  ),
  PATCH_INVALID: input(
    "The patch has no sections or is malformed. The message names the line. Nothing was changed.",
    "Correct that line and send the whole patch again.",
    "none",
  ),
  PATH_CHANGED: {
    category: "operational",
    receipt: "none",
    fix: "List the folder again and repeat the call.",
  },
  PATTERN_TOO_SLOW: input(
    "The search pattern took too long and was stopped.",
    "Avoid repeats within repeats such as `(a+)+`, search for literal text, or name fewer files.",
  ),
  PLAN_CHANGED: {
    category: "policy",
    receipt: "none",
    fix: "Read the file again and repeat the call, so that the decision uses the current files.",
  },
  READ_ONLY: {
    category: "policy",
    receipt: "none",
    fix: "Write somewhere else, or ask for the root to be opened for writing.",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    fix: "Open it with a sandbox workspace, or open a group session on the host.",
  },
  TRANSACTION_NOT_FOUND: input(
    "No change has this transaction id.",
    "Use the `transactionId` that a change reported.",
  ),
  UNDO_CONFLICT: operational(
    "Files changed since then, and undo would lose these changes. Nothing was changed.",
    "Undo the later changes first, or edit the files.",
    "none",
  ),
  UNDO_IMPOSSIBLE: operational(
    "The change removed a symbolic link or a file too large to store, which cannot be restored.",
    "Restore it manually, then undo the rest by editing.",
    "none",
  ),
  UNSUPPORTED_ENCODING: input(
    "The text has an unknown encoding, or is invalid in its encoding. UTF-8, UTF-16 and Windows-1252 (Latin-1) are supported.",
    "Convert a copy to UTF-8 first, for example: `iconv -f SHIFT_JIS -t UTF-8 FILE`.",
  ),
}));

export function rewordError(
  { code, category, fix, details }: HaftError,
  message: string,
  more: Partial<HaftErrorOptions>,
): HaftError {
  const options = { category, fix, details, ...more };
  return new HaftError(code, message, withoutUndefined<HaftErrorOptions>(options));
}
