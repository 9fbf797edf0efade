import type { Mention } from "./error-codes.ts";

const head = `# Errors

Every error of Haft has a code. The code says what happened and is stable; the category says whose turn it is:
\`input\` the caller's (correct the arguments), \`policy\` the operator's (a rule forbids it), \`operational\` the
world's (disk, process, time), \`internal\` ours (please report it).

Codes and categories are read from the code by \`npm run verify:docs -- --update\`; the other two columns are
written by people and kept.

| Code | Category | Meaning | What to do |
| --- | --- | --- | --- |
`;

/** One line of the table of errors. */
export interface ErrorRow {
  code: string;
  category: string;
  meaning: string;
  fix: string;
}

export function parseErrorTable(markdown: string): ErrorRow[] {
  const rows: ErrorRow[] = [];
  for (const line of markdown.split("\n")) {
    const [, first = "", category = "", meaning = "", fix = ""] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
    const code = /^`([A-Z0-9_]+)`$/.exec(first)?.[1];
    if (code !== undefined) rows.push({ code, category, meaning, fix });
  }
  return rows;
}

export function formatErrorTable(rows: readonly ErrorRow[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const sorted = rows.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  const lines = sorted.map(
    ({ code, category, meaning, fix }) =>
      `| \`${code}\` | ${[category, meaning, fix].map(cell).join(" | ")} |\n`,
  );
  return head + lines.join("");
}

/**
 * The rows the code asks for: written columns of `old` are kept, the rest comes from the first
 * place that makes the error.
 */
export function mergeErrorTable(mentions: readonly Mention[], old: readonly ErrorRow[]): ErrorRow[] {
  const written = new Map(old.map((row) => [row.code, row]));
  const codes = [...new Set(mentions.map(({ code }) => code))];
  return codes.map((code) => {
    const made = mentions.find((mention) => mention.code === code && mention.category !== undefined);
    const before = written.get(code);
    return {
      code,
      category: made?.category ?? before?.category ?? "",
      meaning: before?.meaning || (made?.message ?? ""),
      fix: before?.fix || (made?.fix ?? ""),
    };
  });
}
