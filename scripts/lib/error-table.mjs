const head = `# Errors

Every error of Haft has a code. The code says what happened and is stable; the category says whose turn it is:
\`input\` the caller's (correct the arguments), \`policy\` the operator's (a rule forbids it), \`operational\` the
world's (disk, process, time), \`internal\` ours (please report it).

Codes and categories are read from the code by \`npm run verify:docs -- --update\`; the other two columns are
written by people and kept.

| Code | Category | Meaning | What to do |
| --- | --- | --- | --- |
`;

/** @typedef {{ code: string, category: string, meaning: string, fix: string }} Row */

/**
 * @param {string} markdown
 * @returns {Row[]}
 */
export function parseErrorTable(markdown) {
  const rows = [];
  for (const line of markdown.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
    const code = /^`([A-Z0-9_]+)`$/.exec(cells[1] ?? "")?.[1];
    if (code !== undefined) rows.push({ code, category: cells[2], meaning: cells[3], fix: cells[4] });
  }
  return rows;
}

/** @param {readonly Row[]} rows */
export function formatErrorTable(rows) {
  const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const sorted = rows.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return (
    head +
    sorted
      .map((r) => `| \`${r.code}\` | ${[r.category, r.meaning, r.fix].map(cell).join(" | ")} |\n`)
      .join("")
  );
}

/**
 * The rows the code asks for: written columns of `old` are kept, the rest comes from the first
 * place that makes the error.
 * @param {readonly import("./error-codes.mjs").Mention[]} mentions
 * @param {readonly Row[]} old
 * @returns {Row[]}
 */
export function mergeErrorTable(mentions, old) {
  const written = new Map(old.map((row) => [row.code, row]));
  const codes = [...new Set(mentions.map(({ code }) => code))];
  return codes.map((code) => {
    const made = mentions.filter((mention) => mention.code === code && mention.category !== undefined);
    const before = written.get(code);
    return {
      code,
      category: made[0]?.category ?? before?.category ?? "",
      meaning: before?.meaning || made[0]?.message || "",
      fix: before?.fix || made[0]?.fix || "",
    };
  });
}
