import { defineErrors, HaftError, type HaftErrorOptions, withoutUndefined } from "@haft/plugin-sdk";

/**
 * The errors of this package: a source of docs/reference/errors.md. Those without a meaning are explained elsewhere;
 * those of a hunk are the codes of conflicts, in the details of `PATCH_CONFLICT`.
 */
export const fileToolError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  ABORTED: {
    category: "operational",
    receipt: "none",
    fix: "Call again if the change is still wanted.",
  },
  ALREADY_APPLIED: input(
    "What a hunk leaves already stands in the file, but other parts of the patch would still change something.",
    "Leave the hunk out, or correct it.",
    "none",
  ),
  AMBIGUOUS_PATH: input(
    "No file has this name, but several have names that look the same.",
    "Use one of the names in the message, exactly.",
  ),
  ANCHOR_NOT_FOUND: input(
    "The line a hunk names after `@@` is not in the file.",
    "Read the file again and name a line that is there.",
    "none",
  ),
  BINARY_FILE: input(
    "The file is no text, and its bytes are not shown.",
    "Inspect it with a program made for its format, or read the text it was made from.",
  ),
  CHANGE_FAILED: operational(
    "A set of changes failed for a reason without a code of its own. The message says what was rolled back.",
    "Look at the files named in the message before you repeat it.",
  ),
  CONTENT_NOT_KEPT: operational(
    "While a failed change was rolled back, a file could not be made again: it was too large to be kept.",
    "Take back what can be taken back by hand; the journal keeps the content of files up to its limit.",
  ),
  EDIT_AMBIGUOUS: input(
    "The old text is in the file several times; the message names the lines. Nothing was changed.",
    "Add lines before or after it until it is unique, or set `replaceAll`.",
    "none",
  ),
  EDIT_COUNT_MISMATCH: input(
    "The old text is in the file another number of times than expected. Nothing was changed.",
    "Set `expectedCount` to the number in the message if all of them are meant, or make the old text more specific.",
    "none",
  ),
  EDIT_EMPTY_OLD_TEXT: input(
    "The old text is empty, so there is no place to replace.",
    "Use `write` for the whole content, or quote the line next to which text is to be inserted.",
    "none",
  ),
  EDIT_INCOMPLETE: input(
    "An edit lacks its old or its new text.",
    "Send `path` with `oldText` and `newText`, or `edits` with both in each.",
    "none",
  ),
  EDIT_NOT_FOUND: input(
    "The old text is not in the file. The message shows what is nearest and how it differs. Nothing was changed.",
    "Read the file again and quote it as it is.",
    "none",
  ),
  EDIT_OVERLAP: input(
    "Two edits of one call change the same place. Nothing was changed.",
    "Merge them into one: every edit is matched against the original file.",
    "none",
  ),
  EDIT_TOO_MANY_PLACES: input(
    "The old text is in the file in too many places, or looking for it took too long. Nothing was changed.",
    "Make it more specific, or use a command that replaces in a stream.",
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
  HUNK_AMBIGUOUS: input(
    "The lines of a hunk are in the file several times.",
    "Add lines around the change, or name a line before it after `@@`.",
    "none",
  ),
  HUNK_NOT_FOUND: input(
    "The lines a hunk removes or keeps are not in the file. The message shows what is nearest.",
    "Read the file again and quote it as it is.",
    "none",
  ),
  HUNK_WITHOUT_CONTEXT: input(
    "A hunk only adds lines and does not say where.",
    "Quote the line next to which they belong.",
    "none",
  ),
  IMAGE_EMPTY: input(
    "The image file has no content.",
    "Make the image again: nothing was ever written to this file.",
  ),
  IMAGE_INVALID: input(
    "The image is damaged, cut off, or of a rare kind.",
    "Open it with an image program and save it again, as PNG if in doubt.",
  ),
  IMAGE_MISMATCH: input(
    "The content is another kind of image than the extension says.",
    "Give a copy the extension that fits its content, and read that.",
  ),
  IMAGE_TOO_LARGE: input(
    "The image is too large to show.",
    "Make a smaller copy with an image program and read that.",
  ),
  INVALID_AFTER: input(
    "What a lookup is to go on after is none of its paths.",
    "Use what the answer before named to go on after, or leave `after` out to begin at the start.",
  ),
  INVALID_CURSOR: input(
    "The cursor lies past the end of its line, or inside one character.",
    "Use one of the positions in the message.",
  ),
  INVALID_GLOB: input(
    "The glob cannot be read.",
    "Use `*` within a name, `**` across folders, `?` for one character, `{a,b}` for alternatives; escape others with `\\`.",
  ),
  INVALID_PATTERN: input(
    "The search pattern is no regular expression.",
    "Correct it at the place in the message, or search for literal text.",
  ),
  INVALID_TEXT: input(
    "The text holds half of a surrogate pair, which cannot be written.",
    "Send the complete character.",
    "none",
  ),
  INVALID_UTF8: input(
    "The file is not valid UTF-8, nor in another encoding that is known, so it cannot be changed as text without loss.",
    "Convert the file to UTF-8 first, or change it with a program that knows its encoding.",
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
  LINK_NOT_RESTORED: operational(
    "While a failed change was rolled back, a symbolic link could not be made again.",
    "Make the link by hand; the message names it and its target.",
  ),
  LOOKUP_TOO_SLOW: operational(
    "The workspace did not say in time what is in the folder.",
    "Name a folder below it, or try again later: it may be on a file system that does not answer.",
  ),
  NOT_A_DIRECTORY: {
    category: "input",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  NOT_IN_ENCODING: input(
    "The file is in an encoding that does not have a character of the new text.",
    "Write it with other characters, as an escape of the file's format, or convert the file to UTF-8 first.",
    "none",
  ),
  NOT_TEXT: input(
    "The file is binary, so it cannot be changed as text.",
    "Use a program that knows this format, or replace the whole file with `write`.",
    "none",
  ),
  PATCH_CONFLICT: input(
    "Parts of the patch do not fit the files; the message lists each. No part of it was applied.",
    "Correct these parts, keep the rest, and send the whole patch again.",
    "none",
  ),
  PATCH_EMPTY: input(
    "The patch has no sections. Nothing was changed.",
    "Begin each section with one of the headers in the message.",
    "none",
  ),
  PATCH_INVALID: input(
    "The patch cannot be read; the message names the line. Nothing was changed.",
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
    "The change removed something that cannot be made again, such as a symbolic link.",
    "Make it by hand, then undo the rest by editing.",
    "none",
  ),
  UNSUPPORTED_ENCODING: input(
    "The text is in an encoding that is not known; UTF-8, UTF-16 and Windows-1252 (Latin-1) are read.",
    "Convert a copy to UTF-8 first, for example: `iconv -f SHIFT_JIS -t UTF-8 FILE`.",
  ),
}));

/** The same error where more is known of it: what it was for, what it left behind. */
export function restated(
  { code, category, fix, details }: HaftError,
  message: string,
  more: Partial<HaftErrorOptions>,
): HaftError {
  const options = { category, fix, details, ...more };
  return new HaftError(code, message, withoutUndefined<HaftErrorOptions>(options));
}
