// Counts unclear phrases per 1,000 words of documents, comments, test titles and error texts.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A kind of text: its files, extraction of prose, and limit per 1,000 words. */
export interface TextKind {
  readonly files: readonly string[];
  readonly exclude?: RegExp;
  readonly limit: number;
  readonly extract: (text: string) => string;
}

const SUBJECT_VERB =
  /\b[Ww]hat (?!(?:do|does|did|if|about|happens|happened|else\?|to do)\b)(?:is|was|are|were|has|had|have|needs?|comes|came|would|will|can|cannot|could|may|might|must|they|it|its|an?|the|no|others|of|runs|ran|became|follows|does not|only|that|there|each|he|she|we|you|one|this|these|such|began|waits|waited|started|goes|went|keeps|kept|holds|[a-z]+s)\b/g;

const IDIOMS: readonly RegExp[] = [
  SUBJECT_VERB,
  /\b(?:nobody|somebody|anybody|whoever|whatever|whichever|everybody)(?:'s)?\b/gi,
  /\b(?:is|are|was|were|be|been|being) (?:told|said|asked)\b|\btells? of\b|\bsa(?:ys|id) of\b|\btold of\b|\bheard? of\b/g,
  /\b(?:is|are|was|were|be) (?:kept|put aside|held|let go|had|made of)\b|\bstands?\b|\blies\b/g,
  /, too\b/g,
  /\bbeside\b|\bmeanwhile\b|\bby then\b|\bby now\b|\bof before\b|\bfrom now on\b|\bby itself\b|\bby themselves\b/g,
  /\b(?:is|are|was|were) no\b(?! longer)|\b(?:is|are) none\b|\bnothing of\b|\bnone of\b/g,
  /\b(?:those|ones|of one|one that|one of its|another one|that one|the other one)\b/g,
];

const withoutCode = (text: string) =>
  text
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/`[^`]*`/g, "CODE")
    .replaceAll(/\{@\w+ [^}]*\}/g, "LINK");

const withoutMarkup = (text: string) =>
  withoutCode(text.replaceAll(/^\|.*$/gm, ""))
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/<[^>]+>/g, "");

const takeComments = (text: string) =>
  withoutCode(
    [
      ...[...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, body]) => body?.replaceAll(/^\s*\*/gm, "")),
      ...[...text.matchAll(/^\s*\/\/(?!\s*(?:oxlint|eslint|@ts|\/))(.*)$/gm)].map(([, body]) => body),
    ].join("\n"),
  );

const takeTitles = (text: string) =>
  [
    ...text.matchAll(
      /\b(?:test|it|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(["`'])((?:[^"`'\\]|\\.|(?!\1)["`'])*)\1/g,
    ),
  ]
    .map(([, , title]) => title)
    .join(". ");

const takeSentences = (text: string) =>
  [...text.matchAll(/"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`/g)]
    .map(([, quoted, template]) => quoted ?? template ?? "")
    .filter((sentence) => sentence.split(" ").length > 4)
    .join("\n");

/** The measured texts with limits. */
export const TEXT_KINDS: Readonly<Record<"docs" | "comments" | "titles" | "errors", TextKind>> = {
  docs: {
    files: ["*.md", "docs/**/*.md", "packages/*/README.md"],
    exclude: /reference\/(?:command|errors|benchmarks|schemas)\.md$/,
    limit: 5,
    extract: withoutMarkup,
  },
  comments: {
    files: [
      "packages/*/src/**/*.{ts,tsx}",
      "packages/*/page/**/*.{ts,tsx}",
      "apps/**/*.{ts,tsx}",
      "scripts/**/*.ts",
    ],
    exclude: /\.test\.tsx?$|node_modules|\/dist\//,
    limit: 8,
    extract: takeComments,
  },
  titles: {
    files: [
      "packages/*/test/**/*.test.{ts,tsx}",
      "test/**/*.test.ts",
      "apps/**/*.test.ts",
      "examples/**/*.test.ts",
    ],
    exclude: /node_modules/,
    limit: 3,
    extract: takeTitles,
  },
  errors: {
    files: ["packages/*/src/**/*errors.ts", "packages/*/src/**/*error.ts"],
    limit: 5,
    extract: takeSentences,
  },
};

function countIdioms(prose: string): { readonly words: number; readonly idioms: number } {
  const words = prose.match(/[A-Za-z][\w'-]*/g)?.length ?? 0;
  const idioms = IDIOMS.reduce((sum, pattern) => sum + (prose.match(pattern)?.length ?? 0), 0);
  return { words, idioms };
}

/** Measures files below `root`: words, idioms per 1,000 words, and the worst files. */
export function measureTexts(root: string, { files, exclude, extract }: TextKind) {
  const found = files
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => exclude?.test(file) !== true)
    .map((file) => ({ file, ...countIdioms(extract(readFileSync(join(root, file), "utf8"))) }));
  const words = found.reduce((sum, entry) => sum + entry.words, 0);
  const idioms = found.reduce((sum, entry) => sum + entry.idioms, 0);
  const worst = found.toSorted((a, b) => b.idioms - a.idioms).slice(0, 5);
  return { words, rate: words === 0 ? 0 : (1000 * idioms) / words, worst };
}
