import { SECRET_MASK, redactSecrets } from "@haft/core/internal";
import type { TextPage } from "../../wire/api.ts";

/** Where a page begins, how long it is at most, in bytes, and milliseconds that something new is waited for. */
interface Stretch {
  from: number;
  max: number;
  wait: number;
}

/** Bytes of a line that is looked through, and those in front of a page that are: a key has many lines, and begins before it. */
const LONGEST = 16 * 1024;

/**
 * A page of what was printed, with secrets covered, by whole lines: what is printed comes in pieces, and one of a secret is not known
 * for one. Nothing of a line is shown of which the beginning or the end is not there, since whoever asks says where a page is cut.
 * Places stay those of what was printed, so that each page goes on where the one before ended.
 *
 * @param read its text has as many bytes as were printed
 */
export async function readRedactedPage(
  read: (stretch: Stretch) => Promise<TextPage | undefined>,
  { from, max, wait }: Stretch,
): Promise<TextPage | undefined> {
  const page = await wholeLines(read, from, max);
  if (page === undefined || !page.open || page.next > from || wait === 0) return page;
  // The line is not at its end: more of it is waited for, and not the part that is there.
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
    // Not what was printed: nobody knows where its lines are.
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

/** Lines, each with what is shown of it; those between which something was covered over their ends are one. */
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
