import { defineErrors } from "@haft/plugin-sdk";

/**
 * The errors of this package: a source of docs/reference/errors.md. Those without a meaning are explained elsewhere;
 * those of a hunk are the codes of conflicts, in the details of `PATCH_CONFLICT`.
 */
export const fileToolError = /* @__PURE__ */ defineErrors({
  ABORTED: {
    category: "operational",
    receipt: "none",
    fix: "Call again if the change is still wanted.",
  },
  ALREADY_APPLIED: {
    category: "input",
    receipt: "none",
    meaning:
      "What a hunk leaves already stands in the file, but other parts of the patch would still change something.",
    fix: "Leave the hunk out, or correct it.",
  },
  AMBIGUOUS_PATH: {
    category: "input",
    meaning: "No file has this name, but several have names that look the same.",
    fix: "Use one of the names in the message, exactly.",
  },
  ANCHOR_NOT_FOUND: {
    category: "input",
    receipt: "none",
    meaning: "The line a hunk names after `@@` is not in the file.",
    fix: "Read the file again and name a line that is there.",
  },
  BINARY_FILE: {
    category: "input",
    meaning: "The file is no text, and its bytes are not shown.",
    fix: "Inspect it with a program made for its format, or read the text it was made from.",
  },
  CHANGE_FAILED: {
    category: "operational",
    meaning:
      "A set of changes failed for a reason without a code of its own. The message says what was rolled back.",
    fix: "Look at the files named in the message before you repeat it.",
  },
  CONTENT_NOT_KEPT: {
    category: "operational",
    meaning:
      "While a failed change was rolled back, a file could not be made again: it was too large to be kept.",
    fix: "Take back what can be taken back by hand; the journal keeps the content of files up to its limit.",
  },
  EDIT_AMBIGUOUS: {
    category: "input",
    receipt: "none",
    meaning: "The old text is in the file several times; the message names the lines. Nothing was changed.",
    fix: "Add lines before or after it until it is unique, or set `replaceAll`.",
  },
  EDIT_COUNT_MISMATCH: {
    category: "input",
    receipt: "none",
    meaning: "The old text is in the file another number of times than expected. Nothing was changed.",
    fix: "Set `expectedCount` to the number in the message if all of them are meant, or make the old text more specific.",
  },
  EDIT_EMPTY_OLD_TEXT: {
    category: "input",
    receipt: "none",
    meaning: "The old text is empty, so there is no place to replace.",
    fix: "Use `write` for the whole content, or quote the line next to which text is to be inserted.",
  },
  EDIT_INCOMPLETE: {
    category: "input",
    receipt: "none",
    meaning: "An edit lacks its old or its new text.",
    fix: "Send `path` with `oldText` and `newText`, or `edits` with both in each.",
  },
  EDIT_NOT_FOUND: {
    category: "input",
    receipt: "none",
    meaning:
      "The old text is not in the file. The message shows what is nearest and how it differs. Nothing was changed.",
    fix: "Read the file again and quote it as it is.",
  },
  EDIT_OVERLAP: {
    category: "input",
    receipt: "none",
    meaning: "Two edits of one call change the same place. Nothing was changed.",
    fix: "Merge them into one: every edit is matched against the original file.",
  },
  EDIT_TOO_MANY_PLACES: {
    category: "input",
    receipt: "none",
    meaning: "The old text is in the file in too many places. Nothing was changed.",
    fix: "Make it more specific, or use a command that replaces in a stream.",
  },
  FILE_BUSY: {
    category: "operational",
    receipt: "none",
    fix: "Repeat the call later.",
  },
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
  HUNK_AMBIGUOUS: {
    category: "input",
    receipt: "none",
    meaning: "The lines of a hunk are in the file several times.",
    fix: "Add lines around the change, or name a line before it after `@@`.",
  },
  HUNK_NOT_FOUND: {
    category: "input",
    receipt: "none",
    meaning: "The lines a hunk removes or keeps are not in the file. The message shows what is nearest.",
    fix: "Read the file again and quote it as it is.",
  },
  HUNK_WITHOUT_CONTEXT: {
    category: "input",
    receipt: "none",
    meaning: "A hunk only adds lines and does not say where.",
    fix: "Quote the line next to which they belong.",
  },
  IMAGE_EMPTY: {
    category: "input",
    meaning: "The image file has no content.",
    fix: "Make the image again: nothing was ever written to this file.",
  },
  IMAGE_INVALID: {
    category: "input",
    meaning: "The image is damaged, cut off, or of a rare kind.",
    fix: "Open it with an image program and save it again, as PNG if in doubt.",
  },
  IMAGE_MISMATCH: {
    category: "input",
    meaning: "The content is another kind of image than the extension says.",
    fix: "Give a copy the extension that fits its content, and read that.",
  },
  IMAGE_TOO_LARGE: {
    category: "input",
    meaning: "The image is too large to show.",
    fix: "Make a smaller copy with an image program and read that.",
  },
  INVALID_CURSOR: {
    category: "input",
    meaning: "The cursor lies past the end of its line, or inside one character.",
    fix: "Use one of the positions in the message.",
  },
  INVALID_GLOB: {
    category: "input",
    meaning: "The glob cannot be read.",
    fix: "Use `*` within a name, `**` across folders, `?` for one character, `{a,b}` for alternatives; escape others with `\\`.",
  },
  INVALID_PATTERN: {
    category: "input",
    meaning: "The search pattern is no regular expression.",
    fix: "Correct it at the place in the message, or search for literal text.",
  },
  INVALID_TEXT: {
    category: "input",
    receipt: "none",
    meaning: "The text holds half of a surrogate pair, which cannot be written.",
    fix: "Send the complete character.",
  },
  INVALID_UTF8: {
    category: "input",
    receipt: "none",
    meaning: "The file is not valid UTF-8, so it cannot be changed as text without loss.",
    fix: "Convert the file to UTF-8 first, or change it with a program that knows its encoding.",
  },
  IS_DIRECTORY: {
    category: "input",
    fix: "Name one of its files, or list it with `ls`.",
  },
  JOURNAL_FAILED: {
    category: "operational",
    receipt: "none",
    meaning: "The journal that makes changes undoable cannot be used.",
    fix: "Make the journal's folder writable, or run without a journal.",
  },
  LINK_NOT_RESTORED: {
    category: "operational",
    meaning: "While a failed change was rolled back, a symbolic link could not be made again.",
    fix: "Make the link by hand; the message names it and its target.",
  },
  NOT_A_DIRECTORY: {
    category: "input",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  NOT_TEXT: {
    category: "input",
    receipt: "none",
    meaning: "The file is binary, so it cannot be changed as text.",
    fix: "Use a program that knows this format, or replace the whole file with `write`.",
  },
  PATCH_CONFLICT: {
    category: "input",
    receipt: "none",
    meaning: "Parts of the patch do not fit the files; the message lists each. No part of it was applied.",
    fix: "Correct these parts, keep the rest, and send the whole patch again.",
  },
  PATCH_EMPTY: {
    category: "input",
    receipt: "none",
    meaning: "The patch has no sections. Nothing was changed.",
    fix: "Begin each section with one of the headers in the message.",
  },
  PATCH_INVALID: {
    category: "input",
    receipt: "none",
    meaning: "The patch cannot be read; the message names the line. Nothing was changed.",
    fix: "Correct that line and send the whole patch again.",
  },
  PATH_CHANGED: {
    category: "operational",
    receipt: "none",
    fix: "Look at the folder again and repeat the call.",
  },
  PATTERN_TOO_SLOW: {
    category: "input",
    meaning: "The search pattern took too long and was stopped.",
    fix: "Avoid repeats within repeats such as `(a+)+`, search for literal text, or name fewer files.",
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
  TRANSACTION_NOT_FOUND: {
    category: "input",
    meaning: "No change has this transaction id.",
    fix: "Use the `transactionId` a change reported.",
  },
  UNDO_CONFLICT: {
    category: "operational",
    receipt: "none",
    meaning: "Files changed since, and undoing would lose that. Nothing was changed.",
    fix: "Undo the later changes first, or edit the files.",
  },
  UNDO_IMPOSSIBLE: {
    category: "operational",
    receipt: "none",
    meaning: "The change removed something that cannot be made again, such as a symbolic link.",
    fix: "Make it by hand, then undo the rest by editing.",
  },
  UNSUPPORTED_ENCODING: {
    category: "input",
    meaning: "The text is in an encoding other than UTF-8, which is not read.",
    fix: "Convert a copy to UTF-8 first, for example: `iconv -f UTF-16 -t UTF-8 FILE`.",
  },
});
