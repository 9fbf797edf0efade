export interface CutText {
  head: string;
  tail: string;
  characters: number;
  lines: number;
  /** Last line of the head and first of the tail, from 1. Absent if a line was cut. */
  shown?: { headTo: number; tailFrom: number };
}

const VERDICT =
  /\b(?:errors?|fail(?:ed|ure|ures)?|exception|panic|fatal|warnings?|total|summary|passed|exit(?:ed)?)\b/i;

/** Keeps 4/5 from the start, or half if the end has errors or totals. Cuts at line ends if possible. */
export function cutText(text: string, budget: number): CutText {
  const headShare = VERDICT.test(text.slice(-2000)) ? 0.5 : 0.8;
  const headBudget = Math.floor(budget * headShare);
  const head = cutHead(text, headBudget);
  const tail = cutTail(text, Math.max(text.length - (budget - headBudget), head.end));
  const lines = countLineEnds(text, 0, text.length) + (text.endsWith("\n") ? 0 : 1);
  const cut = {
    head: text.slice(0, head.end),
    tail: text.slice(tail.start),
    characters: text.length,
    lines,
  };
  if (!head.atLine || !tail.atLine) return cut;
  const headTo = countLineEnds(text, 0, head.end);
  return { ...cut, shown: { headTo, tailFrom: lines - countLines(cut.tail) + 1 } };
}

function cutHead(text: string, budget: number): { end: number; atLine: boolean } {
  const lineEnd = budget > 0 ? text.lastIndexOf("\n", budget - 1) + 1 : 0;
  if (lineEnd > budget / 2) return { end: lineEnd, atLine: true };
  return { end: splitsPair(text, budget) ? budget - 1 : budget, atLine: false };
}

function cutTail(text: string, from: number): { start: number; atLine: boolean } {
  const lineStart = text.indexOf("\n", from - 1) + 1;
  if (lineStart > 0 && lineStart - from < (text.length - from) / 2) return { start: lineStart, atLine: true };
  return { start: splitsPair(text, from) ? from + 1 : from, atLine: false };
}

function splitsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function countLines(text: string): number {
  if (text === "") return 0;
  return countLineEnds(text, 0, text.length) + (text.endsWith("\n") ? 0 : 1);
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
