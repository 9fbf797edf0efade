import { requireKnownOptions } from "@haft/core/internal";
import { constants, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AuditEntry, AUDIT_LINE_PREFIX } from "./audit-entry.ts";
import { listRotatedFiles } from "./rotate-files.ts";

/**
 * Configures {@link readAuditLog}.
 *
 * @example
 * ```ts
 * import type { AuditReadOptions } from "@haft/config";
 * const newLines: AuditReadOptions = { follow: true, from: "end", signal: AbortSignal.timeout(60_000) };
 * ```
 */
export interface AuditReadOptions {
  /** Continues with new lines, over rotations, until `signal` is aborted. Default false: it reads to the end. */
  follow?: boolean;
  /** Sets the start: `oldest` with the oldest file; `end` with new lines only. Default `oldest`. */
  from?: "oldest" | "end";
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Sets the milliseconds between two checks. Default 200. */
  pollMs?: number;
}

/**
 * Contains an entry, or a sentence about a damaged or missing part.
 *
 * @example
 * ```ts
 * import type { AuditItem } from "@haft/config";
 * const format = (item: AuditItem) => ("problem" in item ? item.problem : `${item.entry.toolName}: ${item.entry.status}`);
 * ```
 */
export type AuditItem = { readonly entry: AuditEntry } | { readonly problem: string };

interface Reading {
  readonly handle: FileHandle;
  readonly id: string;
  at: number;
  readonly lines: AuditLines;
}

const CHUNK = 64 * 1024;

/**
 * Reads an audit log, the oldest lines first, while others write to it. A missing log has no items. A file that was removed before it was
 * read gives a `problem`.
 *
 * @param file Path of the newest file.
 * @throws HaftError `INVALID_OPTIONS` for an unknown option; else the system's error
 * @example
 * ```ts
 * import { readAuditLog } from "@haft/config";
 * for await (const item of readAuditLog("/var/log/agent/audit.jsonl", { follow: true, from: "end" })) {
 *   if ("problem" in item) console.warn(item.problem);
 *   else if (item.entry.decision?.effect === "deny") console.log("denied:", item.entry.toolName);
 * }
 * ```
 */
export async function* readAuditLog(file: string, reading: AuditReadOptions = {}): AsyncGenerator<AuditItem> {
  requireKnownOptions<AuditReadOptions>("readAuditLog", reading, {
    follow: true,
    from: true,
    signal: true,
    pollMs: true,
  });
  const { follow = false, from = "oldest", signal, pollMs = 200 } = reading;
  const path = resolve(file);
  const waiting = await filesOf(path);
  const isOver = () => signal?.aborted === true;
  let current: Reading | undefined;
  /** A writer that opened the previous file just before the rotation may append once more. */
  let before: Reading | undefined;
  try {
    if (from === "end") {
      current = waiting.pop();
      for (const old of waiting.splice(0)) await old.handle.close();
      if (current !== undefined) current.at = (await current.handle.stat()).size;
    }
    while (!isOver()) {
      if (before !== undefined) yield* itemsOf(before);
      if (current !== undefined) yield* itemsOf(current);
      const next = waiting.shift();
      if (next !== undefined) {
        await before?.handle.close();
        [before, current] = [current, next];
        continue;
      }
      if (!follow) break;
      if (current === undefined || idAt(path) !== current.id) {
        const { files, isWhole } = await filesAfter(path, current);
        if (!isWhole)
          yield { problem: "Old files were removed before they were read: lines are missing here." };
        waiting.push(...files);
        if (files.length > 0) continue;
      }
      await sleep(pollMs, undefined, { ...(signal && { signal }) }).catch(() => {});
    }
    // Now no writer continues the file.
    for (const one of [before, current]) if (one !== undefined) yield* one.lines.end();
  } finally {
    for (const one of [before, current, ...waiting]) await one?.handle.close();
  }
}

async function* itemsOf(file: Reading): AsyncGenerator<AuditItem> {
  for (;;) {
    const { bytesRead, buffer } = await file.handle.read(Buffer.alloc(CHUNK), 0, CHUNK, file.at);
    if (bytesRead === 0) return;
    file.at += bytesRead;
    yield* file.lines.add(buffer.subarray(0, bytesRead));
  }
}

/** Opens the newest file first, because files only become older. Returns the oldest first. */
async function filesOf(path: string): Promise<Reading[]> {
  const found: Reading[] = [];
  const seen = new Set<string>();
  const look = async (name: string) => {
    const handle = await openFile(name);
    if (handle === undefined) return;
    const { dev, ino } = await handle.stat();
    const id = `${dev}:${ino}`;
    if (seen.has(id)) return handle.close();
    seen.add(id);
    found.unshift({ handle, id, at: 0, lines: new AuditLines() });
  };
  await look(path);
  for (const old of oldIn(path)) await look(old);
  return found;
}

async function filesAfter(
  path: string,
  last: Reading | undefined,
): Promise<{ files: Reading[]; isWhole: boolean }> {
  const files = await filesOf(path);
  const position = files.findIndex(({ id }) => id === last?.id);
  for (const old of files.splice(0, position + 1)) await old.handle.close();
  // During a rotation, no file has this name.
  return { files, isWhole: last === undefined || position >= 0 || files.length === 0 };
}

function oldIn(path: string): string[] {
  try {
    return listRotatedFiles(path).map((old) => old.path);
  } catch {
    return [];
  }
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    // A pipe must not block, and a link must not redirect the read.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}

function idAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

type Item = { readonly entry: AuditEntry } | { readonly problem: string };

/** Limits a line, in bytes. No entry is as long. */
const LONGEST = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Complete lines are entries, fragments are reported. */
class AuditLines {
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
    if (length > LONGEST) return yield { problem: `A line of ${length} bytes is not an entry.` };
    const whole = parse(text);
    if (whole !== undefined) return yield { entry: whole };
    // The next entry may directly follow a fragment.
    const begins = text.lastIndexOf(AUDIT_LINE_PREFIX);
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
