/** One way in which Haft differs from Codex on purpose. */
export interface Row {
  codex: string;
  haft: string;
  why: string;
}

/** Every difference from Codex that is left, as docs/reference/apply-patch.md has them. */
export const rows = {
  "final-newline": {
    codex: "ends every file it updates with a line ending",
    haft: "a file that ends without one keeps ending without one; an empty line at its end only ends the one before",
    why: "bytes nobody asked to change stay as they are",
  },
  "line-endings": {
    codex: "ends all new lines like the first line of the file",
    haft: "a new line ends like the line it replaces, or stands before",
    why: "in files of mixed endings the lines around stay alike, and diffs stay small",
  },
  "byte-order-mark": {
    codex: "takes it for a part of line 1, which a patch then cannot name",
    haft: "it is invisible, and kept",
    why: "models do not see it",
  },
  "re-indented": {
    codex: "writes new lines as they are given, though the lines around are indented in another way",
    haft: "gives them the indentation of the file, where it can be told what that is, and says so",
    why: "the new lines stand where the old ones stood",
  },
  "indentation-is-syntax": {
    codex: "writes new lines as they are given",
    haft: "refuses, with the lines of the file, where it cannot be told how to indent them",
    why: "in `.py`, `.yaml`, `Makefile` and their like a line indented wrongly says something else",
  },
  "insertion-below-anchor": {
    codex: "puts a hunk of new lines only at the end of the file, whatever its `@@` line says",
    haft: "below the line the `@@` line names",
    why: "that is what the `@@` line says",
  },
  "order-at-end": {
    codex:
      "puts what hunks of new lines add at the end above what later hunks add there, away from their context",
    haft: "below it",
    why: "new lines stay beside the context they were given with",
  },
  "moved-onto-itself": {
    codex: "deletes the file, and says that it was updated",
    haft: "updates it",
    why: "nothing was to be deleted",
  },
  "several-places": {
    codex: "takes the first of several places that fit",
    haft: "refuses, with all places, unless an `@@` line, line numbers or the end of the file decide",
    why: "the wrong one of two equal blocks is changed silently otherwise",
  },
  "outside-anchor": {
    codex: "takes the first place below a `@@` line, however far down",
    haft: "refuses a place where something else has begun than what the `@@` line opens",
    why: "the hunk would change another function than the one it names",
  },
  "file-exists": {
    codex: "`Add File` and `Move to` overwrite a file that is there",
    haft: "refuse, unless it was deleted earlier in the patch",
    why: "what is lost is not shown",
  },
  "blank-line-between": {
    codex:
      "refuses a blank line beside a section header, and a second one after a hunk; above new lines alone it is their context, and where the file has none, it begins with them",
    haft: "skips it; above or between the lines of an added file it is refused too",
    why: "nothing else can be meant",
  },
  "around-the-envelope": {
    codex: "refuses text before or after the envelope, but for one form of here-document",
    haft: "skips remarks, code fences, any here-document, a byte order mark",
    why: "a part of the patch is never among it: that is an error",
  },
  "several-envelopes": {
    codex: "refuses a second envelope",
    haft: "takes several as one transaction",
    why: "the format as its users write it",
  },
  "spelled-headers": {
    codex: "refuses `Modify File`, `Move File: a -> b`, other letter case and more blanks",
    haft: "takes them for what they say",
    why: "the format as its users write it; nothing else can be meant",
  },
  "move-only": {
    codex: "refuses an update without hunks, also where the file moves",
    haft: "moves the file",
    why: "its own grammar allows it",
  },
  "empty-update": {
    codex: "takes a blank line below `@@` for a hunk of empty context, which changes nothing",
    haft: "refuses an update without hunks",
    why: "nobody means it: the hunk is missing",
  },
  "added-without-plus": {
    codex: "refuses an added file whose lines have no `+`",
    haft: "takes them as they are, if none of them has one",
    why: "the format as its users write it",
  },
  "line-numbers": {
    codex: "takes `@@ -1,3 +1,4 @@` for text to look for, and does not find it",
    haft: "a hint which of several places is meant",
    why: "unified diffs are written so",
  },
  "anchor-form": {
    codex:
      "takes a closing `@@`, or `...`, for text to look for, and cuts white space at the end of a `@@` line",
    haft: "leaves out the first two, and looks for the line as it is first",
    why: "unified diffs are written so; an exact match says more than another",
  },
  "anchor-as-context": {
    codex: "looks for a hunk below its `@@` line only",
    haft: "the hunk may begin with, or hold, the line its `@@` line names",
    why: "models repeat it; what is meant is certain",
  },
  "anchor-again": {
    codex: "looks for a `@@` line below the hunk before only",
    haft: "the line the hunk before lies below, or is still within, may be named again",
    why: "two changes in one function are written so",
  },
  "anchor-above": {
    codex:
      "takes a line below the hunk before that is only like the `@@` line, though the very line stands above",
    haft: "refuses: the hunk is out of order",
    why: "an exact match says more than another",
  },
  "already-applied": {
    codex: "refuses",
    haft: "a patch of which everything is so already changes nothing, and says so",
    why: "one that is sent again after its answer was lost does no harm",
  },
  "several-anchors": {
    codex: "refuses one `@@` line below another",
    haft: "looks for the second below the first, and within what that opens",
    why: "its own instructions recommend class, then method",
  },
  "no-newline-mark": {
    codex: "refuses `\\ No newline at end of file`",
    haft: "skips it",
    why: "unified diffs are written so",
  },
  "blank-context": {
    codex:
      "passes over an empty line at the end of what a hunk expects, if it is not there, also one to be removed",
    haft: "passes over empty lines without a sign only",
    why: "a line that is given as context, or to be removed, has to be there",
  },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof rows;

/** As it stands in the table of the page. */
export function renderRow(name: RowName): string {
  const { codex, haft, why } = rows[name];
  return `| ${name} | ${codex} | ${haft} | ${why} |`;
}
