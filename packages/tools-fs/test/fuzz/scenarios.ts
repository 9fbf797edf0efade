import { fc } from "@fast-check/vitest";

/** A line of a file and what ends it. */
export type Line = readonly [text: string, ending: "\n" | "\r\n" | "\r"];

export interface SourceFile {
  lines: readonly Line[];
  bom: boolean;
  /** The last line has no ending. */
  open: boolean;
}

/** What happens to one line. */
export type LineChange = "keep" | "remove" | "replace" | "insert";

/** What happens to one file, and how the patch for it is written. */
export interface FileScenario {
  source: SourceFile;
  fate: "update" | "delete" | "move" | "move-and-update" | "add" | "none";
  changes: readonly LineChange[];
  style: { context: number; numbers: boolean; anchors: boolean; bareBlanks: boolean; loose: boolean };
}

// Few different lines, so that blocks repeat and ambiguity is common.
const text = fc.constantFrom("a", "b", "  a", "}", "", "x = “1”", "long line of text", "é");
// A lone CR before an empty line that ends in LF would read as CRLF, so lone ones keep to themselves.
const mixed = fc.constantFrom("\n" as const, "\n" as const, "\r\n" as const);
const lone = fc.constant("\r" as const);

const linesOf = (ending: fc.Arbitrary<Line[1]>): fc.Arbitrary<Line[]> =>
  fc.array(fc.tuple(text, ending), { minLength: 1, maxLength: 14 });

const source: fc.Arbitrary<SourceFile> = fc
  .record({
    lines: fc.oneof({ weight: 6, arbitrary: linesOf(mixed) }, { weight: 1, arbitrary: linesOf(lone) }),
    bom: fc.boolean(),
    open: fc.boolean(),
  })
  // An empty last line without an ending is no line.
  .map((file) => ({ ...file, open: file.open && file.lines.at(-1)?.[0] !== "" }));

export const fileScenario: fc.Arbitrary<FileScenario> = fc.record({
  source,
  fate: fc.constantFrom("update", "update", "update", "delete", "move", "move-and-update", "add", "none"),
  changes: fc.array(fc.constantFrom("keep", "keep", "keep", "remove", "replace", "insert"), {
    maxLength: 14,
  }),
  style: fc.record({
    context: fc.integer({ min: 0, max: 3 }),
    numbers: fc.boolean(),
    anchors: fc.boolean(),
    bareBlanks: fc.boolean(),
    loose: fc.boolean(),
  }),
});

export function render({ lines, bom, open }: SourceFile): Buffer {
  const texts = lines.map(([own, end], index) => own + (open && index === lines.length - 1 ? "" : end));
  return Buffer.from((bom ? "\ufeff" : "") + texts.join(""));
}

const ADDED = "new line";

/** The lines a file has after its changes; without an ending where any will do. */
export function expectedLines({
  source: { lines, open },
  changes,
}: FileScenario): { text: string; ending?: string }[] {
  return lines.flatMap(([own, end], index) => {
    const change = changes[index] ?? "keep";
    const kept = open && index === lines.length - 1 ? { text: own } : { text: own, ending: end };
    if (change === "remove") return [];
    if (change === "replace") return [{ text: `${ADDED} ${index}` }];
    return change === "insert" ? [kept, { text: `${ADDED} ${index}` }] : [kept];
  });
}

/** The hunks that make the changes of a scenario. */
export function renderHunks({ source: { lines }, changes, style }: FileScenario): string[] {
  const touched = lines.flatMap((_, index) => ((changes[index] ?? "keep") === "keep" ? [] : [index]));
  const groups: number[][] = [];
  for (const index of touched) {
    const last = groups.at(-1);
    if (last !== undefined && index - (last.at(-1) as number) <= 2 * style.context + 1) last.push(index);
    else groups.push([index]);
  }
  let previousEnd = 0;
  return groups.flatMap((group) => {
    const from = Math.max(previousEnd, (group[0] as number) - style.context);
    const to = Math.min(lines.length, (group.at(-1) as number) + style.context + 1);
    const out = [header({ lines, style, from, to })];
    for (let index = from; index < to; index += 1) {
      const own = (lines[index] as Line)[0];
      const change = changes[index] ?? "keep";
      if (change === "keep" || change === "insert") out.push(contextLine(own, style));
      else out.push(`-${style.loose ? `${own}  ` : own}`);
      if (change === "insert" || change === "replace") out.push(`+${ADDED} ${index}`);
    }
    previousEnd = to;
    return out;
  });
}

function header(hunk: {
  lines: readonly Line[];
  style: FileScenario["style"];
  from: number;
  to: number;
}): string {
  const { lines, style, from, to } = hunk;
  const count = to - from;
  if (style.numbers) return `@@ -${from + 1},${count} +${from + 1},${count} @@`;
  const above = lines[from - 1]?.[0];
  // An anchor is only a help if the block below it is the one meant.
  const unique =
    above !== undefined && above.trim() !== "" && lines.filter(([own]) => own === above).length === 1;
  return style.anchors && unique ? `@@ ${above}` : "@@";
}

function contextLine(own: string, style: FileScenario["style"]): string {
  if (own === "" && style.bareBlanks) return "";
  return ` ${style.loose ? `${own} ` : own}`;
}

const sectionHeader = fc.constantFrom(
  "*** Add File: new",
  "*** Update File: f0",
  "*** Modify File: f1",
  "*** Delete File: f0",
  "*** Move File: f0 -> f1",
  "*** Move File: f1 -> g/h",
);
const hunkLine = fc.constantFrom(
  "@@",
  "@@ a",
  "@@ -1,2 +1,2 @@",
  "+a",
  "+b",
  "-a",
  " a",
  " }",
  "-b",
  "a",
  "",
  "*** End of File",
);
const section = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: sectionHeader },
      { weight: 1, arbitrary: fc.constant("*** Move to: g/h") },
    ),
    fc.array(fc.oneof({ weight: 30, arbitrary: hunkLine }, { weight: 1, arbitrary: fc.string() }), {
      maxLength: 6,
    }),
  )
  .map(([head, lines]) => {
    if (/Delete|Move File/.test(head)) return [head];
    return head.startsWith("*** Add") ? [head, ...lines.map((line) => `+${line}`)] : [head, ...lines];
  });

/** Anything that looks like a patch, most of it well-formed. */
export const shreds: fc.Arbitrary<string> = fc
  .array(section, { minLength: 1, maxLength: 4 })
  .map((sections) => ["*** Begin Patch", ...sections.flat(), "*** End Patch"].join("\n"));

/** Where an edit's old text comes from: out of the file, or from anywhere. */
export interface EditScenario {
  /** A piece of the file, in thousandths of its length. */
  from: number;
  size: number;
  /** Instead of a piece of the file. */
  words: readonly string[] | null;
  newText: readonly string[];
  replaceAll: boolean;
}

export const editScenario: fc.Arbitrary<EditScenario> = fc.record({
  from: fc.nat(999),
  size: fc.integer({ min: 1, max: 12 }),
  words: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom("a", "}", "\n", "é", '"1"', "  "), { minLength: 1, maxLength: 4 }),
    },
  ),
  newText: fc.array(fc.constantFrom("a", "N", "\n", "ü"), { maxLength: 3 }),
  replaceAll: fc.boolean(),
});

/** The old text of an edit, as one who reads the file would quote it: with bare line feeds. */
export function getOldText({ from, size, words }: EditScenario, source: SourceFile): string {
  if (words !== null) return words.join("");
  const text = render(source)
    .toString()
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n");
  const start = Math.floor((text.length * from) / 1000);
  return text.slice(start, start + size) || "a";
}
