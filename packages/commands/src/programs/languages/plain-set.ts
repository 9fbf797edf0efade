/** A set with something in it: no `]` in front, and no `[` but that of a class. */
const SET = /\[(?!\^?\])(?:\\[^\n]|\[:[a-z]+:\]|[^\][\\\n])+\]/y;

/**
 * Where a set of a pattern ends, as `[^a-z]` and `[[:space:],]`; -1 where not all programs agree on that, or whether `sign` in it ends
 * the whole pattern.
 */
export function findSetEnd(text: string, from: number, sign: string): number {
  SET.lastIndex = from;
  const set = SET.exec(text)?.[0];
  if (set === undefined || set.replaceAll(/\\./g, "").includes(sign)) return -1;
  return from + set.length;
}
