import type { Random } from "./random.ts";

/** A file as lines, and the form of its bytes. */
export interface Source {
  path: string;
  lines: string[];
  ending: "\n" | "\r\n" | "\r" | "mixed";
  bom: boolean;
  /** The last line has no ending. */
  open: boolean;
}

const WORDS = ["total", "user", "retry", "path", "limit", "name"];

/** Kinds of files: those in which leading white space means something, and those in which it does not. */
const KINDS: Readonly<Record<string, (random: Random) => string[]>> = {
  "src/app.ts": (random) => blocks(random, code),
  "src/tabs.go": (random) => blocks(random, code).map((line) => line.replace(/^( {2})+/, tabs)),
  "lib/job.py": (random) => blocks(random, python),
  "conf.yaml": (random) => blocks(random, yaml),
  Makefile: (random) => blocks(random, rule),
  "notes.txt": (random) => many(random, 4, 14, () => random.pick(NOTES)),
  "docs/read.md": (random) => many(random, 4, 14, () => random.pick(PROSE)),
};

const tabs = (blanks: string): string => "\t".repeat(blanks.length / 2);

// Few different lines, so that blocks repeat and places compete.
const NOTES = [
  "a",
  "b",
  "c",
  "  a",
  "}",
  "",
  "a  ",
  "x = 1",
  "- item",
  "+ plus",
  "@@ odd",
  "long line of text",
];
const PROSE = [
  "He said “hello” – twice",
  "it’s here",
  "plain text",
  "",
  "one\u00a0two",
  "- list",
  "  - inner",
  "…",
  "a — b",
];

function many<Value>(random: Random, from: number, to: number, make: () => Value): Value[] {
  return Array.from({ length: from + random.below(to - from + 1) }, make);
}

function blocks(random: Random, block: (random: Random) => string[]): string[] {
  return many(random, 1, 4, () => block(random)).flatMap((lines, index) =>
    index > 0 && random.chance(70) ? ["", ...lines] : lines,
  );
}

function code(random: Random): string[] {
  const name = random.pick(WORDS);
  return [
    `function ${name}() {`,
    ...many(random, 1, 3, () => `  ${random.pick(WORDS)} += ${random.below(3)};`),
    ...(random.chance(40) ? ["  if (ok) {", `    return ${random.pick(WORDS)};`, "  }"] : []),
    "}",
  ];
}

function python(random: Random): string[] {
  return [
    `class ${random.pick(["A", "B"])}:`,
    `    def ${random.pick(WORDS)}(self):`,
    ...many(random, 1, 3, () => `        self.${random.pick(WORDS)} = ${random.below(3)}`),
    ...(random.chance(40) ? ["        if self.ok:", "            return 1"] : []),
  ];
}

function yaml(random: Random): string[] {
  return [
    `${random.pick(WORDS)}:`,
    ...many(random, 1, 3, () => `  ${random.pick(WORDS)}: ${random.below(4)}`),
    ...(random.chance(50) ? ["  steps:", "    - run: a", "    - run: b"] : []),
  ];
}

function rule(random: Random): string[] {
  return [`${random.pick(WORDS)}:`, ...many(random, 1, 3, () => `\tcc ${random.pick(WORDS)}.c`)];
}

function makeSource(random: Random, path?: string): Source {
  const kind = path ?? random.pick(Object.keys(KINDS));
  const lines = (KINDS[kind] as (random: Random) => string[])(random);
  const ending = random.pick(["\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\r\n", "mixed", "\r"] as const);
  // An empty last line without an ending is no line.
  return { path: kind, lines, ending, bom: random.chance(5), open: random.chance(20) && lines.at(-1) !== "" };
}

/** Some kinds of files, each at most once. */
export function makeSources(random: Random): Source[] {
  const paths = new Set(many(random, 1, 3, () => random.pick(Object.keys(KINDS))));
  return [...paths].map((path) => makeSource(random, path));
}

export function render({ lines, ending, bom, open }: Source): string {
  const text = lines.map((line, index) => {
    if (open && index === lines.length - 1) return line;
    return line + (ending === "mixed" ? (index % 3 === 1 ? "\r\n" : "\n") : ending);
  });
  return (bom ? "\ufeff" : "") + text.join("");
}
