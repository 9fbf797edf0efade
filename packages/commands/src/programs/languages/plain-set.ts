/** No leading `]`, and `[` only in a class. */
const SET = /\[(?!\^?\])(?:\\[^\n]|\[:[a-z]+:\]|[^\][\\\n])+\]/y;

/** Returns the end of `[^a-z]` or `[[:space:],]`; -1 if programs disagree about it, or about `sign` in it. */
export function findSetEnd(text: string, from: number, sign: string): number {
  SET.lastIndex = from;
  const set = SET.exec(text)?.[0];
  if (set === undefined || set.replaceAll(/\\./g, "").includes(sign)) return -1;
  return from + set.length;
}
