/** Rows as left-aligned columns, two spaces apart, without trailing spaces. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
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
