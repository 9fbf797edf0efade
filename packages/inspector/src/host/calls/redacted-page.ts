import { SECRET_MASK, redactSecrets } from "@haft/core/internal";
import type { TextPage } from "../../wire/api.ts";

/** `wait`: milliseconds. */
interface Stretch {
  from: number;
  max: number;
  wait: number;
}

/** A key has several lines and may precede the page. */
const LONGEST = 16 * 1024;

/**
 * Returns a page of whole lines with masked secrets, because a secret's part is unrecognisable. Incomplete
 * lines are hidden: clients choose the cuts. Offsets of the original keep pages contiguous.
 *
 * @param read The text has the original's length.
 */
export async function readRedactedPage(
  read: (stretch: Stretch) => Promise<TextPage | undefined>,
  { from, max, wait }: Stretch,
): Promise<TextPage | undefined> {
  const page = await wholeLines(read, from, max);
  if (page === undefined || !page.open || page.next > from || wait === 0) return page;
  // The line is incomplete.
  await read({ from: page.total, max: 1, wait });
  return wholeLines(read, from, max);
}

async function wholeLines(
  read: (stretch: Stretch) => Promise<TextPage | undefined>,
  from: number,
  max: number,
): Promise<TextPage | undefined> {
  const begin = Math.max(0, from - LONGEST);
  const raw = await read({ from: begin, max: from - begin + max + LONGEST, wait: 0 });
  if (raw === undefined) return undefined;
  const dropped = raw.dropped > 0 ? Math.max(0, raw.from - from) : 0;
  if (Buffer.byteLength(raw.text) !== raw.next - raw.from) {
    // The original is gone.
    const next = Math.max(from, raw.next);
    return { ...raw, text: next > from ? SECRET_MASK : "", from, next, dropped };
  }
  const isAll = !raw.open && raw.next >= raw.total;
  let [text, start, next] = ["", from, raw.from];
  for (const { line, shown } of coveredLines(raw.text)) {
    const [at, size] = [next, Buffer.byteLength(line)];
    const end = at + size;
    if (end <= from) {
      next = end;
      continue;
    }
    const isWhole = isEnded(line) || (isAll && end === raw.next);
    const isHidden = size > LONGEST || (at === raw.from && at > 0);
    if (!isWhole && !isHidden) break;
    if (text === "") start = isHidden ? Math.max(from, at) : at;
    text += isHidden ? `${SECRET_MASK}${line.endsWith("\n") ? "\n" : ""}` : shown;
    next = end;
    if (next - start >= max) break;
  }
  return text === ""
    ? { ...raw, text, from, next: Math.min(from, raw.total), dropped }
    : { ...raw, text, from: start, next, dropped };
}

/** Joins lines of one secret. */
function coveredLines(text: string): { line: string; shown: string }[] {
  const lines = linesOf(text);
  const shown = linesOf(redactSecrets(text));
  if (lines.length === shown.length) return lines.map((line, at) => ({ line, shown: shown[at]! }));
  const fewer = lines.length - shown.length;
  const first = Math.max(
    0,
    lines.findIndex((line, at) => line !== shown[at]),
  );
  const last = Math.max(
    first,
    lines.findLastIndex((line, at) => line !== shown[at - fewer]),
  );
  const same = (line: string) => ({ line, shown: line });
  return [
    ...lines.slice(0, first).map(same),
    { line: lines.slice(first, last + 1).join(""), shown: shown.slice(first, last + 1 - fewer).join("") },
    ...lines.slice(last + 1).map(same),
  ];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=[\r\n])/);
}

function isEnded(line: string): boolean {
  return /[\r\n]$/.test(line);
}
