import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";
import type {
  AddSection,
  HunkLine,
  LineHint,
  Patch,
  PatchHunk,
  PatchSection,
  UpdateSection,
} from "./patch.ts";
import { invalidPatch, type PatchLine, readEnvelopes } from "./read-envelopes.ts";

const HEADER = /^\*\*\*\s+(Add|Delete|Update|Modify|Move)\s+File:/i;
const MOVE_TO = /^\*\*\*\s+Move\s+to:/i;
const HEADERS =
  '"*** Add File: PATH", "*** Update File: PATH", "*** Delete File: PATH" or "*** Move File: OLD -> NEW"';

const MAX_SECTIONS = 10_000;
const MAX_HUNKS = 20_000;

interface Header {
  kind: "add" | "delete" | "update" | "modify" | "move";
  path: string;
  line: number;
}

/**
 * Parses a patch in linear time. It accepts the format of Codex, `Modify File` and `Move File: a -> b`, several envelopes, numbered hunk
 * headers, and usual text around a patch.
 *
 * @throws `PATCH_INVALID` with the faulty line
 *
 * @example
 * ```ts run
 * import { parsePatch } from "@haft/tools-fs/apply-patch";
 * const { sections } = parsePatch("*** Begin Patch\n*** Delete File: old.txt\n*** End Patch");
 * sections; // => [{ kind: "delete", path: "old.txt", line: 2 }]
 * ```
 */
export function parsePatch(input: string): Patch {
  const lines = readEnvelopes(input);
  const sections: PatchSection[] = [];
  let hunks = 0;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as PatchLine;
    at += 1;
    if (line.text.trim() === "") continue;
    const header = readHeader(line, line.text.trim());
    if (header === undefined) throw notAHeader(line);
    const end = findSectionEnd(lines, at, header.kind);
    const section = readSection(header, lines.slice(at, end));
    sections.push(section);
    hunks += section.kind === "update" ? section.hunks.length : 0;
    if (sections.length > MAX_SECTIONS) throw tooMany(header, `changes more than ${MAX_SECTIONS} files`);
    if (hunks > MAX_HUNKS) throw tooMany(header, `has more than ${MAX_HUNKS} hunks`);
    at = end;
  }
  if (sections.length === 0) {
    throw fileToolError("PATCH_INVALID", "The patch has no sections. No files were modified.", {
      fix: `Begin each section with ${HEADERS}.`,
    });
  }
  return { sections };
}

const tooMany = ({ line }: Pick<Header, "line">, what: string): HaftError =>
  invalidPatch(line, `the patch ${what}`, "Send several patches.");

function readHeader(line: PatchLine, text: string): Header | undefined {
  const match = HEADER.exec(text);
  if (match === null) return undefined;
  const kind = (match[1] as string).toLowerCase() as Header["kind"];
  const path = text.slice(match[0].length).trim();
  if (path === "") throw invalidPatch(line.number, "the header names no file", `Write ${HEADERS}.`);
  return { kind, path, line: line.number };
}

/** Within an update, an indented header is context. */
function findSectionEnd(lines: readonly PatchLine[], from: number, kind: Header["kind"]): number {
  const indentedCounts = kind === "add" || kind === "delete";
  for (let at = from; at < lines.length; at += 1) {
    const { text } = lines[at] as PatchLine;
    if (HEADER.test(text) || (indentedCounts && /^\s/.test(text) && HEADER.test(text.trim()))) return at;
  }
  return lines.length;
}

function readSection(header: Header, body: readonly PatchLine[]): PatchSection {
  const { path, line } = header;
  switch (header.kind) {
    case "add":
      return readAdd(header, body);
    case "delete": {
      const extra = body.find(({ text }) => text.trim() !== "");
      if (extra !== undefined)
        throw invalidPatch(extra.number, "a Delete File section has no lines", "Remove the line.");
      return { kind: "delete", path, line };
    }
    case "update":
    case "modify":
      return readUpdate({ kind: "update", path, line, hunks: [] }, body);
    case "move": {
      const [from, to, ...more] = path.split(" -> ").map((part) => part.trim());
      if (more.length > 0)
        throw invalidPatch(line, "Move File names more than two paths", 'Write "*** Move File: OLD -> NEW".');
      const section: UpdateSection = { kind: "update", path: from ?? path, line, hunks: [] };
      if (to !== undefined && to !== "") section.moveTo = to;
      return readUpdate(section, body, true);
    }
  }
}

/** Accepts lines with a plus, or unchanged lines if no line has a plus. Blank lines at the end separate sections. */
function readAdd({ path, line }: Header, body: readonly PatchLine[]): AddSection {
  let size = body.length;
  while (size > 0 && (body[size - 1] as PatchLine).text.trim() === "") size -= 1;
  const lines = body.slice(0, size);
  const plain = !lines.some(({ text }) => text.startsWith("+"));
  const content = lines.map(({ text, number }) => {
    if (plain) return text;
    if (text.startsWith("+")) return text.slice(1);
    const fix = "Begin every line of an added file with +.";
    throw invalidPatch(number, "a line of an added file does not begin with +, though others do", fix);
  });
  const header = plain ? lines.find(({ text }) => text.startsWith("*** ")) : undefined;
  if (header !== undefined) throw notAHeader(header);
  return { kind: "add", path, line, content };
}

function readUpdate(section: UpdateSection, body: readonly PatchLine[], isMove = false): UpdateSection {
  let at = 0;
  while (at < body.length && (body[at] as PatchLine).text === "") at += 1;
  const first = body[at];
  const moveTo = first && MOVE_TO.exec(first.text);
  if (first !== undefined && moveTo !== null && moveTo !== undefined) {
    const to = first.text.slice(moveTo[0].length).trim();
    if (to === "") throw invalidPatch(first.number, "Move to names no file", 'Write "*** Move to: NEW".');
    if (section.moveTo !== undefined)
      throw invalidPatch(first.number, "the file is moved twice", "Remove one of the moves.");
    section.moveTo = to;
    at += 1;
  }
  if (isMove && section.moveTo === undefined) {
    throw invalidPatch(section.line, "Move File does not say where to", 'Write "*** Move File: OLD -> NEW".');
  }
  section.hunks = parseHunks(body.slice(at));
  if (section.hunks.length === 0 && section.moveTo === undefined) {
    const fix = "Give at least one hunk: context, - and + lines.";
    throw invalidPatch(section.line, `the update of ${section.path} has no hunks`, fix);
  }
  return section;
}

function notAHeader({ text, number }: PatchLine): HaftError {
  const fix = `Begin each section with ${HEADERS}.`;
  return invalidPatch(number, `${shown(text)} is not a section header`, fix);
}

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const NUMBERED = /^-(\d{1,9})(?:,(\d{1,9}))?\s+\+\d{1,9}(?:,\d{1,9})?\s*(?:@@\s*(.*))?$/;
const END_OF_FILE = "*** End of File";

function parseHunks(lines: readonly PatchLine[]): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let hunk: PatchHunk | undefined;
  const open = (line: number): PatchHunk => {
    const fresh: PatchHunk = { line, anchors: [], lines: [], endOfFile: false, trailingBlanks: 0 };
    hunks.push(fresh);
    if (hunks.length > MAX_HUNKS) throw tooMany({ line }, `has more than ${MAX_HUNKS} hunks`);
    return fresh;
  };
  for (const { text, number } of lines) {
    if (hunk?.endOfFile === true && !/^(?:@@|\\ No newline|\s*$)/.test(text)) {
      throw invalidPatch(number, `a line follows "${END_OF_FILE}"`, 'Begin the next hunk with "@@".');
    }
    if (text.startsWith("@@")) {
      if (hunk === undefined || isBegun(hunk)) hunk = open(number);
      readHunkHeader(hunk, text.slice(2));
    } else if (text.trimEnd() === END_OF_FILE) {
      if (hunk === undefined || hunk.lines.length === 0) throw noLines(number);
      hunk.endOfFile = true;
    } else if (text.startsWith("*** ")) {
      const fix = "Begin context lines with a blank.";
      throw invalidPatch(number, `${shown(text)} is not valid within an update`, fix);
    } else if (text.startsWith("\\ No newline")) {
      const kind = hunk?.lines.at(-1)?.kind;
      if (hunk !== undefined && kind !== undefined) hunk.openEnds = { ...hunk.openEnds, [kind]: true };
    } else {
      if (hunk?.endOfFile === true || (text === "" && hunk === undefined)) continue;
      hunk ??= open(number);
      readHunkLine(hunk, text, number);
    }
  }
  for (const each of hunks) if (each.lines.length === 0) throw noLines(each.line);
  return hunks.filter((each) => !isBlank(each));
}

const isBegun = (hunk: PatchHunk): boolean => hunk.lines.length > 0 || hunk.endOfFile;

const isBlank = (hunk: PatchHunk): boolean =>
  hunk.lines.length === hunk.trailingBlanks && hunk.anchors.length === 0 && hunk.hint === undefined;

function readHunkHeader(hunk: PatchHunk, rest: string): void {
  const text = rest.trim();
  const numbers = NUMBERED.exec(text);
  if (numbers !== null) {
    const [, oldStart, oldCount = "1", heading = ""] = numbers;
    const hint: LineHint = { oldStart: Number(oldStart), oldCount: Number(oldCount), heading, raw: text };
    hunk.hint = hint;
    return;
  }
  const anchor = text.endsWith("@@") ? text.slice(0, -2).trimEnd() : text;
  if (anchor !== "" && anchor !== "..." && anchor !== "…")
    hunk.anchors.push(anchor === text ? rest.replace(/^ /, "") : anchor);
}

/** A line without a sign is an error: as context, a line to remove would stay. */
function readHunkLine(hunk: PatchHunk, text: string, number: number): void {
  hunk.trailingBlanks = text === "" ? hunk.trailingBlanks + 1 : 0;
  const kind = text === "" ? "context" : KINDS[text[0] as string];
  if (kind === undefined) {
    const fix = "Begin context lines with a blank, removed lines with -, added lines with +.";
    throw invalidPatch(number, `${shown(text)} begins with neither a blank nor - nor +`, fix);
  }
  // Only the last line of the file has no line ending.
  if (kind === "context") delete hunk.openEnds;
  else if (hunk.openEnds !== undefined) delete hunk.openEnds[kind];
  hunk.lines.push({ kind, text: text.slice(1) });
}

const KINDS: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "-": "remove", "+": "add" };

function noLines(line: number): ReturnType<typeof invalidPatch> {
  return invalidPatch(line, "the hunk has no lines", "Give context, - and + lines below the header.");
}
