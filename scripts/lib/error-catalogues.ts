import type { ErrorFacts } from "@haft/core/internal";
import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Mention } from "./error-codes.ts";
import { root } from "./workspace.ts";

export interface CatalogueEntry extends ErrorFacts {
  code: string;
  package: string;
}

/** Loads all packages' entries; needs the condition `@haft/source`. */
export async function loadCatalogues(): Promise<CatalogueEntry[]> {
  const files = globSync("packages/*/src/errors.ts", { cwd: root }).toSorted();
  const loaded = files.map(async (path) => {
    const exported = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
    const makers = Object.values(exported).filter(hasCatalogue);
    if (makers.length !== 1) throw new Error(`${path} exports ${makers.length} catalogues instead of one`);
    const entries = Object.entries(makers[0]!.catalogue);
    return entries.map(([code, facts]) => ({ code, package: path.split("/")[1]!, ...facts }));
  });
  return (await Promise.all(loaded)).flat();
}

function hasCatalogue(value: unknown): value is { catalogue: Record<string, ErrorFacts> } {
  return typeof value === "function" && "catalogue" in value;
}

/** Returns problems: each code must be used, and have one category and one catalogue with its meaning. */
export function catalogueProblems(
  entries: readonly CatalogueEntry[],
  mentions: readonly Mention[],
): string[] {
  const used = new Set(mentions.map(({ code }) => code));
  const listed = new Set(entries.map(({ code }) => code));
  const places = new Map(mentions.toReversed().map(({ code, location }) => [code, location]));
  const unlisted = [...places].filter(([code]) => !listed.has(code));
  return [
    ...unlisted.map(([code, place]) => `${code} is in no catalogue (${place})`),
    ...[...byCode(entries)].flatMap(([code, all]) => {
      const where = all.map((entry) => entry.package).join(", ");
      const explained = all.filter(({ meaning }) => meaning !== undefined);
      return [
        explained.length > 1 ? `${code} is explained more than once (${where})` : "",
        explained.length === 0 ? `${code} has no meaning (${where})` : "",
        explained.some(({ fix }) => fix === undefined) ? `${code} does not say what to do (${where})` : "",
        new Set(all.map(({ category }) => category)).size > 1
          ? `${code} has several categories (${where})`
          : "",
        used.has(code) ? "" : `${code} is used nowhere (${where})`,
      ].filter(Boolean);
    }),
  ];
}

export function formatErrorPage(entries: readonly CatalogueEntry[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const rows = [...byCode(entries)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([code, all]) => {
    const entry = all.find(({ meaning }) => meaning !== undefined) ?? all[0]!;
    const { category, meaning = "", fix = "" } = entry;
    const packages = [...new Set([entry, ...all].map((each) => each.package))].join(", ");
    return `| ${[`\`${code}\``, category, meaning, fix, packages].map(cell).join(" | ")} |\n`;
  });
  return HEAD + lines.join("");
}

function byCode(entries: readonly CatalogueEntry[]): Map<string, CatalogueEntry[]> {
  return Map.groupBy(entries, ({ code }) => code);
}

const HEAD = `# Errors

Every error of Haft has a code. The code says what happened and is stable; the category says who can correct it:
\`input\`: the caller corrects the arguments; \`policy\`: the operator changes a rule or decides; \`operational\`: the disk,
a process or the time failed, so somebody repairs the cause; \`internal\`: Haft has an error, so please report it.

This page is made from the catalogues of the packages (\`packages/*/src/errors.ts\`) by \`npm run verify:docs -- --update\`.

| Code | Category | Meaning | What to do | Package |
| --- | --- | --- | --- | --- |
`;
