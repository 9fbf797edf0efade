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
    "No file has this name, but several have names that look the same.",
    "Use one of the names in the message, exactly.",
  ),
  BINARY_FILE: input(
    "The file is no text: its bytes are not shown, and it cannot be changed as text.",
    "Use a program made for its format, or replace the whole file with `write`.",
  ),
  CHANGE_FAILED: operational(
    "A set of changes failed for a reason without a code of its own. The message says what was rolled back.",
    "Look at the files named in the message before you repeat it.",
  ),
  EDIT_AMBIGUOUS: input(
    "The old text is in the file several times, more often than can be replaced at once, or another number of times than expected; the message says which. Nothing was changed.",
    "Add lines before or after it until it is unique, set `replaceAll`, or set `expectedCount` to the number in the message.",
    "none",
  ),
  EDIT_INVALID: input(
    "An edit lacks its old or its new text, its old text is empty, or two edits change the same place. Nothing was changed.",
    "Send `path` with `oldText` and `newText`, or `edits` with both in each, every one matched against the original file.",
    "none",
  ),
  EDIT_NOT_FOUND: input(
    "The old text is not in the file. The message shows what is nearest and how it differs. Nothing was changed.",
    "Read the file again and quote it as it is.",
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
    fix: "Choose another destination, or delete what is there first.",
  },
  FILE_NOT_FOUND: {
    category: "input",
    fix: "Check the path; the message names what is near. List the folder to see what is there.",
  },
  FILE_TOO_LARGE: {
    category: "input",
    receipt: "none",
    fix: "Change it with a command that streams it, or read it in pages.",
  },
  IMAGE_INVALID: input(
    "The image is empty, damaged, cut off, of a rare kind, or of another kind than its extension says.",
    "Open it with an image program and save it again, as PNG if in doubt.",
  ),
  INVALID_ARGUMENTS: {
    category: "input",
    fix: "Use what the answer before named, or leave it out to begin at the start.",
  },
  INVALID_PATTERN: input(
    "The search pattern is no regular expression, or the glob cannot be read.",
    "Correct it at the place in the message, or search for literal text.",
  ),
  INVALID_TEXT: input(
    "The text holds half of a surrogate pair, or a character that the encoding of the file does not have.",
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
    "The workspace did not say in time what is in the folder.",
    "Name a folder below it, or try again later: it may be on a file system that does not answer.",
  ),
  NOT_A_DIRECTORY: {
    category: "input",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  PATCH_CONFLICT: input(
    "Parts of the patch do not fit the files; the message lists each. No part of it was applied.",
    "Correct these parts, keep the rest, and send the whole patch again.",
    "none",
  ),
  PATCH_INVALID: input(
    "The patch has no sections or cannot be read; the message names the line. Nothing was changed.",
    "Correct that line and send the whole patch again.",
    "none",
  ),
  PATH_CHANGED: {
    category: "operational",
    receipt: "none",
    fix: "Look at the folder again and repeat the call.",
  },
  PATTERN_TOO_SLOW: input(
    "The search pattern took too long and was stopped.",
    "Avoid repeats within repeats such as `(a+)+`, search for literal text, or name fewer files.",
  ),
  PLAN_CHANGED: {
    category: "policy",
    receipt: "none",
    fix: "Read the file again and repeat the call, so that it is decided about as things are now.",
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
    "Use the `transactionId` a change reported.",
  ),
  UNDO_CONFLICT: operational(
    "Files changed since, and undoing would lose that. Nothing was changed.",
    "Undo the later changes first, or edit the files.",
    "none",
  ),
  UNDO_IMPOSSIBLE: operational(
    "The change removed something that cannot be made again: a symbolic link, or a file too large to be kept.",
    "Make it by hand, then undo the rest by editing.",
    "none",
  ),
  UNSUPPORTED_ENCODING: input(
    "The text is in an encoding that is not known, or not valid in its own; UTF-8, UTF-16 and Windows-1252 (Latin-1) are known.",
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
