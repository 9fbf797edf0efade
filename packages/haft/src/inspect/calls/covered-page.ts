import { redactSecrets } from "@haft/core/internal";
import type { TextPage } from "@haft/inspector";

/** Where a page begins, how long it is at most, in bytes, and milliseconds that something new is waited for. */
interface Stretch {
  from: number;
  max: number;
  wait: number;
}

const KIB = 1024;
/** Bytes in front of a page that are looked at: a key has many lines, and begins before it. */
const BEFORE = 8 * KIB;
/** A line that goes on for longer is handed out before its end is there. */
const LONGEST = 16 * KIB;

/**
 * A page of what was printed, with secrets covered, by whole lines: what is printed comes in pieces, and one of a secret is not known
 * for one. Places stay those of what was printed, so that each page goes on where the one before ended.
 */
export async function coveredPage(
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
  const begin = Math.max(0, from - BEFORE);
  const raw = await read({ from: begin, max: from - begin + max + LONGEST, wait: 0 });
  if (raw === undefined) return undefined;
  const dropped = raw.dropped > 0 ? Math.max(0, raw.from - from) : 0;
  const lines = linesOf(raw.text);
  const shown = linesOf(redactSecrets(raw.text));
  // What is no text has no lines, and what was covered over their ends has others: it is shown as one.
  const isOne = Buffer.byteLength(raw.text) !== raw.next - raw.from || lines.length !== shown.length;
  if (isOne) return { ...raw, text: shown.join(""), dropped };
  const isAll = !raw.open && raw.next >= raw.total;
  let [text, start, next] = ["", from, raw.from];
  for (const [index, line] of lines.entries()) {
    const at = next;
    const size = Buffer.byteLength(line);
    if (at + size <= from) {
      next = at + size;
      continue;
    }
    if (text === "") start = at;
    const isWhole = line.endsWith("\n") || (isAll && index === lines.length - 1);
    if (isWhole) {
      text += shown[index]!;
      next = at + size;
    } else if (text === "" && size > LONGEST) {
      const part = line.slice(0, line.search(/\s\S*$/) + 1) || line.slice(0, line.length / 2);
      text = redactSecrets(part);
      next = at + Buffer.byteLength(part);
    }
    if (!isWhole || next - start >= max) break;
  }
  return text === ""
    ? { ...raw, text, from, next: Math.min(from, raw.total), dropped }
    : { ...raw, text, from: start, next, dropped };
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}
