import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files that ignore files do not hide, about 6 KB each, 20 in a folder; one in ten is Markdown. As many are ignored. */
const SOURCE_FILES = 40_000;
const FILES_PER_FOLDER = 20;
const TEXTS = 200;
/** One in so many files contains `needleFound`. */
const NEEDLE_EVERY = 667;

export const SEARCHES = {
  none: { pattern: "noSuchNameAnywhere" },
  needles: { pattern: "needleFound" },
  markdown: { pattern: "noSuchNameAnywhere", glob: "*.md" },
  many: { pattern: "const" },
  expression: { pattern: "needle[A-Z]\\w+\\(\\)" },
  digits: { pattern: "\\d{9}-\\d{4}" },
} as const;

export type SearchName = keyof typeof SEARCHES;

export const FIND = {
  name: { pattern: "file7-of-one.ts" },
  thousand: { pattern: "*", limit: 1000 },
} as const;

/** The same pseudo-random tree each time. */
export function makeSearchTree(root: string): void {
  let state = 1;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const word = () => `name${random(3000).toString(36)}`;
  const line = () => `  const ${word()} = ${word()}(${word()}, "${word()}");`;
  const texts = Array.from({ length: TEXTS }, () => `${Array.from({ length: 170 }, line).join("\n")}\n`);
  mkdirSync(join(root, ".git"), { recursive: true });
  writeFileSync(join(root, ".gitignore"), "node_modules/\n*.log\ndist\n");
  for (let file = 0; file < SOURCE_FILES; file++) {
    const group = Math.floor(file / FILES_PER_FOLDER);
    const folder = `${group % 40}/module${group}`;
    const index = file % FILES_PER_FOLDER;
    if (index === 0)
      for (const top of ["src", "node_modules/p"]) mkdirSync(join(root, top + folder), { recursive: true });
    const text = texts[(file * 7) % TEXTS]!.slice(0, 4000 + random(4000));
    const name = file === 20_007 ? "file7-of-one.ts" : `file${index}.${index % 10 === 0 ? "md" : "ts"}`;
    writeFileSync(
      join(root, `src${folder}`, name),
      file % NEEDLE_EVERY === 0 ? `${text}\nneedleFound();\n` : text,
    );
    writeFileSync(join(root, `node_modules/p${folder}`, `file${index}.js`), "const hidden = 1;\n");
  }
}
