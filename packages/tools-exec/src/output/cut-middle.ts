export interface TextBudget {
  head: number;
  tail: number;
}

export interface CutOutput {
  head: string;
  /** Empty if everything fits into `head`. */
  tail: string;
  omitted: number;
}

/** As a share of the limit. */
const LINE_SEARCH = 0.25;

/** Cuts between lines if lines are short, never inside a character. */
export function cutMiddle(text: string, { head, tail }: TextBudget): CutOutput {
  if (text.length <= head + tail) return { head: text, tail: "", omitted: 0 };
  const headEnd = endOfHead(text, head);
  const tailStart = startOfTail(text, text.length - tail, tail);
  return {
    head: text.slice(0, headEnd),
    tail: text.slice(tailStart),
    omitted: Buffer.byteLength(text.slice(headEnd, tailStart)),
  };
}

function endOfHead(text: string, limit: number): number {
  const line = text.lastIndexOf("\n", limit - 1) + 1;
  return line >= limit * (1 - LINE_SEARCH) ? line : between(text, limit);
}

function startOfTail(text: string, limit: number, length: number): number {
  const line = text.indexOf("\n", limit - 1) + 1;
  return line > 0 && line <= limit + length * LINE_SEARCH ? line : between(text, limit);
}

function between(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
