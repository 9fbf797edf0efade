import type { Random } from "./random.ts";

type Damage = (random: Random, lines: string[]) => string[];

const HEADER = /^\*\*\* /;
const isBody = (line: string): boolean => !HEADER.test(line) && !line.startsWith("@@");

/** Puts other lines in place of one that fits. */
export function at(
  random: Random,
  lines: readonly string[],
  fits: (line: string) => boolean,
  change: (line: string) => string[],
): string[] {
  const places = lines.flatMap((line, index) => (fits(line) ? [index] : []));
  if (places.length === 0) return [...lines];
  const place = random.pick(places);
  return lines.flatMap((line, index) => (index === place ? change(line) : [line]));
}

const each = (lines: readonly string[], change: (line: string) => string): string[] =>
  lines.map((line) => (isBody(line) && line !== "" ? change(line) : line));

const signed = (line: string, form: (text: string) => string): string =>
  line.slice(0, 1) + form(line.slice(1));

/** What befalls the lines of one section. */
const SECTION: readonly Damage[] = [
  // Lost and wrong signs.
  (random, lines) =>
    at(
      random,
      lines,
      (line) => isBody(line) && line.length > 1,
      (line) => [line.slice(1)],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("-"),
      (line) => [line.slice(1)],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("+"),
      (line) => [line.slice(1)],
    ),
  (random, lines) => at(random, lines, isBody, (line) => [random.pick([" ", "-", "+"]) + line.slice(1)]),
  (random, lines) =>
    each(lines, (line) => (line.startsWith(" ") && random.chance(60) ? line.slice(1) : line)),
  // White space.
  (random, lines) => {
    const more = random.pick(["  ", "    ", "\t", " "]);
    return each(lines, (line) => signed(line, (text) => (text === "" ? text : more + text)));
  },
  (_, lines) => each(lines, (line) => signed(line, (text) => text.replace(/^(?: {4}| {2}|\t)/, ""))),
  (_, lines) => each(lines, (line) => signed(line, (text) => text.trimStart())),
  (_, lines) =>
    each(lines, (line) =>
      signed(line, (text) => text.replace(/^(?: {2})+/, (all) => "\t".repeat(all.length / 2))),
    ),
  (_, lines) =>
    each(lines, (line) => signed(line, (text) => text.replace(/^\t+/, (all) => "    ".repeat(all.length)))),
  (random, lines) =>
    at(random, lines, isBody, (line) => [signed(line, (text) => random.pick([" ", "  ", "\t"]) + text)]),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => /^[ -]\s/.test(line),
      (line) => [signed(line, (text) => text.trimStart())],
    ),
  (random, lines) => at(random, lines, isBody, (line) => [line + random.pick([" ", "  ", "\t"])]),
  (_, lines) => each(lines, (line) => line.trimEnd()),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.slice(2).includes(" "),
      (line) => [signed(line, (text) => text.replace(/(\S) /, "$1  "))],
    ),
  // Other characters.
  (_, lines) =>
    each(lines, (line) =>
      line.replace(/[“”]/g, '"').replace(/’/g, "'").replace(/[–—]/g, "-").replaceAll("\u00a0", " "),
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => /^[ -]./.test(line),
      (line) => [`${line}x`],
    ),
  // Lines lost, doubled, moved.
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith(" "),
      () => [],
    ),
  (random, lines) => at(random, lines, isBody, () => []),
  (random, lines) => at(random, lines, isBody, (line) => [line, line]),
  (random, lines) => at(random, lines, isBody, (line) => ["", line]),
  (random, lines) => [...lines, ...Array.from({ length: 1 + random.below(2) }, () => "")],
  (random, lines) => lines.filter((line) => !line.startsWith(" ") || random.chance(30)),
  swapHunks,
  // Anchors and marks.
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@"),
      (line) => [
        random.pick(["@@ nowhere", "@@ }", "@@ a", `${line} @@`, "@@ @@", "@@ ...", line.trimEnd()]),
      ],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@ "),
      (line) => [line, ` ${line.slice(3)}`],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@ "),
      (line) => [random.pick(["@@ class A:", "@@ a"]), line],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@"),
      () => [`@@ -${1 + random.below(12)},${random.below(5)} +${1 + random.below(12)},3 @@`],
    ),
  numberHunks,
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@"),
      (line) => [` ${line}`],
    ),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("@@"),
      () => [],
    ),
  (random, lines) => at(random, lines, isBody, (line) => [line, "*** End of File"]),
  (_, lines) => [...lines, "*** End of File"],
  (random, lines) => at(random, lines, isBody, (line) => [line, "\\ No newline at end of file"]),
  // Headers.
  (random, lines) =>
    at(
      random,
      lines,
      (line) => HEADER.test(line),
      (line) => [damageHeader(random, line)],
    ),
  (_, lines) => lines.map((line) => line.replace("*** Update File:", "*** Modify File:")),
  (_, lines) => joinMove(lines),
  (random, lines) =>
    at(
      random,
      lines,
      (line) => line.startsWith("*** "),
      (line) => [line, random.pick(["", " ", " x", "x"])],
    ),
  (_, lines) =>
    lines[0]?.startsWith("*** Add") === true ? lines.map((line) => line.replace(/^\+/, "")) : lines,
  (_, lines) => lines.slice(0, 1),
];

function swapHunks(random: Random, lines: readonly string[]): string[] {
  const starts = lines.flatMap((line, index) => (line.startsWith("@@") ? [index] : []));
  if (starts.length < 2) return [...lines];
  const first = random.below(starts.length - 1);
  const [from, middle, to] = [starts[first], starts[first + 1], starts[first + 2] ?? lines.length];
  return [
    ...lines.slice(0, from),
    ...lines.slice(middle, to),
    ...lines.slice(from, middle),
    ...lines.slice(to),
  ];
}

/** `@@ -a,b +a,b @@` with the right counts, and starts that may be some lines off. */
function numberHunks(random: Random, lines: readonly string[]): string[] {
  const off = random.pick([0, 0, 1, -1, 3]);
  return lines.map((line, index) => {
    if (!line.startsWith("@@")) return line;
    const end = lines.findIndex((other, place) => place > index && !isBody(other));
    const body = lines.slice(index + 1, end < 0 ? lines.length : end);
    const old = body.filter((other) => !other.startsWith("+")).length;
    const fresh = body.filter((other) => !other.startsWith("-")).length;
    const start = Math.max(1, index + off);
    return `@@ -${start},${old} +${start},${fresh} @@${random.chance(30) ? line.slice(2) : ""}`;
  });
}

/** Leaves the paths alone: what a shred of one names may be anywhere. */
function damageHeader(random: Random, line: string): string {
  const [, mark = "", path = ""] = /^(\*\*\* [^:]*:?)(.*)$/.exec(line) ?? [];
  const form = random.pick([
    mark.toLowerCase(),
    mark.toUpperCase(),
    `  ${mark}`,
    mark.replace("*** ", "***"),
    mark.replace("*** ", "***  "),
    mark.replace(":", " :"),
    mark.replace(":", ""),
    mark.replace("*** ", "** "),
    mark.replace("File", "file"),
    mark.replace(/Update|Add|Delete/, "Change"),
  ]);
  return random.chance(10)
    ? mark
    : form + random.pick([path, path, path.trimStart() === path ? path : ` ${path}`, `${path} `]);
}

function joinMove(lines: readonly string[]): string[] {
  const [first = "", second = "", ...rest] = lines;
  if (!second.startsWith("*** Move to: ")) return [...lines];
  return [`${first.replace("Update", "Move")} -> ${second.slice("*** Move to: ".length)}`, ...rest];
}

export function damageLines(random: Random, lines: readonly string[]): string[] {
  let damaged = [...lines];
  for (let count = random.chance(20) ? 2 : 1; count > 0; count -= 1)
    damaged = random.pick(SECTION)(random, damaged);
  return damaged;
}
