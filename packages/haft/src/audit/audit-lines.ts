import { type AuditEntry, BEGINNING } from "./audit-entry.ts";

type Item = { readonly entry: AuditEntry } | { readonly problem: string };

/** Bytes of a line. No entry is as long. */
const LONGEST = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines out of bytes as they come: whole ones are entries, and what is left of others is said. */
export class AuditLines {
  #parts: Buffer[] = [];
  #length = 0;

  *add(bytes: Buffer): Generator<Item> {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      this.#take(bytes.subarray(from, at));
      yield* this.#line();
      from = at + 1;
    }
    this.#take(bytes.subarray(from));
  }

  *end(): Generator<Item> {
    yield* this.#line();
  }

  #take(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= LONGEST) this.#parts.push(bytes);
    else this.#parts = [];
  }

  *#line(): Generator<Item> {
    const length = this.#length;
    const text = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#length = 0;
    if (length === 0) return;
    if (length > LONGEST) return yield { problem: `A line of ${length} bytes is no entry.` };
    const whole = parse(text);
    if (whole !== undefined) return yield { entry: whole };
    // What a kill left of one, and right behind it the next.
    const begins = text.lastIndexOf(BEGINNING);
    const behind = begins > 0 ? parse(text.slice(begins)) : undefined;
    yield {
      problem: `A part of a line: ${text.slice(0, behind === undefined ? 100 : Math.min(begins, 100))}`,
    };
    if (behind !== undefined) yield { entry: behind };
  }
}

function parse(line: string): AuditEntry | undefined {
  try {
    const found = JSON.parse(line) as Partial<AuditEntry> | null;
    return found?.audit === 1 && typeof found.toolCallId === "string" ? (found as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}
