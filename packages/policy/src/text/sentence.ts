export function truncateSentence(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function suggestNames(candidates: readonly string[] = []): string {
  if (candidates.length === 0) return "";
  return ` Did you mean ${candidates.map((candidate) => JSON.stringify(candidate)).join(" or ")}?`;
}

export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Formats rows as lines of left-aligned columns, two spaces apart, without trailing spaces.
 *
 * @example
 * ```ts run
 * import { formatTable } from "@haft/policy";
 *
 * formatTable([["tool", "main"], ["write", "ask"]]); // => ["tool   main", "write  ask"]
 * ```
 */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, value] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, value.length);
  }
  return rows.map((row) =>
    row
      .map((value, column) => value.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
