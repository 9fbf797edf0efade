import type { ScreenRow, ScreenSnapshot } from "./screen.ts";

export function hasGap(now: ScreenSnapshot, before: ScreenSnapshot | undefined): boolean {
  if (now.isFullScreen) return false;
  return now.removed - (before?.removed ?? 0) > (before?.isFullScreen === false ? before.rows.length : 0);
}

/** Returns plain text from the first changed line on, or the whole screen of a full-screen program. */
export function newScreenText(now: ScreenSnapshot, before: ScreenSnapshot | undefined): string {
  if (now.isFullScreen) return fullScreenText(now);
  if (before === undefined || before.isFullScreen) return joinRows(now.rows);
  const known = before.rows.slice(now.removed - before.removed);
  let first = 0;
  while (first < now.rows.length && now.rows[first]!.text === known[first]?.text) first++;
  while (now.rows[first]?.isContinued === true) first--;
  return joinRows(now.rows.slice(first));
}

function fullScreenText({ rows, cursor }: ScreenSnapshot): string {
  return `[screen, cursor at line ${cursor.line}, column ${cursor.column}]\n${rows.map(({ text }) => text).join("\n")}`;
}

/** Joins rows that the terminal wrapped. */
export function joinRows(rows: readonly ScreenRow[]): string {
  return rows.map(({ text, isContinued }, index) => (isContinued || index === 0 ? "" : "\n") + text).join("");
}
