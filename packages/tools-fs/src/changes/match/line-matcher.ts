import { type LineTable, lineText } from "../text/line-table.ts";
import { type MatchPass, LINE_NORMALIZERS } from "./match-pass.ts";
import type { SearchBudget } from "./search-budget.ts";

export interface LineMatcher {
  findBlock(block: number, pass: MatchPass): readonly number[];
}

/** Lines that are equal in a pass have equal numbers. 0: in no block. */
interface NumberedLines {
  ids: Int32Array;
  /** Lines with each number, ascending: number `id` has `order[first[id] .. first[id + 1])`. */
  first: Int32Array;
  order: Int32Array;
  blocks: readonly Int32Array[];
}

const EXACT_STEPS = { perByte: 0.5, perLine: 32 };
const LOOSE_STEPS = { perByte: 4, perLine: 128 };

const MAX_CACHED = 1 << 20;

/**
 * Numbers the lines of the file once for all blocks, so the cost is linear. Prepares loose passes on demand.
 *
 * @param budget Limits each search.
 */
export function createLineMatcher(
  table: LineTable,
  blocks: readonly (readonly string[])[],
  budget?: SearchBudget,
): LineMatcher {
  const passes = new Map<MatchPass, NumberedLines & { found: Map<number, readonly number[]> }>();
  let room = MAX_CACHED;
  return {
    findBlock(block, pass) {
      let numbered = passes.get(pass);
      if (numbered === undefined) {
        const { perByte, perLine } = pass === "exact" ? EXACT_STEPS : LOOSE_STEPS;
        budget?.read(perByte * table.bytes.length + perLine * table.count);
        const lines = pass === "exact" ? numberExactly(table, blocks) : numberLoosely(table, blocks, pass);
        numbered = { ...lines, found: new Map() };
        passes.set(pass, numbered);
      }
      const known = numbered.found.get(block);
      if (known !== undefined) return known;
      const locations = findBlock(numbered, numbered.blocks[block] as Int32Array, budget);
      if (locations.length < room) {
        numbered.found.set(block, locations);
        room -= locations.length + 1;
      }
      return locations;
    },
  };
}

const MAX_COMPARISONS = 1 << 20;

function findBlock(numbered: NumberedLines, block: Int32Array, budget?: SearchBudget): number[] {
  const { ids, first, order } = numbered;
  const size = block.length;
  if (size === 0) return [];
  let rarest = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < size; index += 1) {
    const id = block[index] as number;
    const amount = (first[id + 1] as number) - (first[id] as number);
    if (amount < fewest) {
      fewest = amount;
      rarest = index;
    }
  }
  if (fewest === 0) return [];
  const isRepetitive = fewest * size > MAX_COMPARISONS;
  budget?.spend(isRepetitive ? ids.length + size : fewest * size);
  if (isRepetitive) return searchLinearly(ids, block);
  const id = block[rarest] as number;
  const locations: number[] = [];
  for (let at = first[id] as number; at < (first[id + 1] as number); at += 1) {
    const start = (order[at] as number) - rarest;
    if (start >= 0 && start + size <= ids.length && matchesAt(ids, block, start)) locations.push(start);
  }
  return locations;
}

function matchesAt(ids: Int32Array, block: Int32Array, start: number): boolean {
  for (let index = 0; index < block.length; index += 1) if (ids[start + index] !== block[index]) return false;
  return true;
}

/** Knuth, Morris and Pratt. */
function searchLinearly(ids: Int32Array, block: Int32Array): number[] {
  const size = block.length;
  const borders = new Int32Array(size);
  for (let at = 1, matched = 0; at < size; at += 1) {
    while (matched > 0 && block[at] !== block[matched]) matched = borders[matched - 1] as number;
    if (block[at] === block[matched]) matched += 1;
    borders[at] = matched;
  }
  const locations: number[] = [];
  for (let line = 0, matched = 0; line < ids.length; line += 1) {
    while (matched > 0 && ids[line] !== block[matched]) matched = borders[matched - 1] as number;
    if (ids[line] === block[matched]) matched += 1;
    if (matched < size) continue;
    locations.push(line - size + 1);
    matched = borders[size - 1] as number;
  }
  return locations;
}

function numberLoosely(
  table: LineTable,
  blocks: readonly (readonly string[])[],
  pass: MatchPass,
): NumberedLines {
  const { numbers, numbered } = numberBlocks(blocks, LINE_NORMALIZERS[pass]);
  const ids = new Int32Array(table.count);
  for (let line = 0; line < table.count; line += 1) {
    ids[line] = numbers.get(LINE_NORMALIZERS[pass](lineText(table, line))) ?? 0;
  }
  return { ...listByNumber(ids, numbers.size), blocks: numbered };
}

function numberBlocks(blocks: readonly (readonly string[])[], keyOf: (line: string) => string) {
  const numbers = new Map<string, number>();
  const numbered = blocks.map((lines) => {
    const ids = new Int32Array(lines.length);
    for (let index = 0; index < lines.length; index += 1) {
      const key = keyOf(lines[index] as string);
      let id = numbers.get(key);
      if (id === undefined) {
        id = numbers.size + 1;
        numbers.set(key, id);
      }
      ids[index] = id;
    }
    return ids;
  });
  return { numbers, numbered };
}

/** Only lines with a wanted length are hashed. Longer lines share one length. */
const LENGTHS = 1024;
/** Bytes to hash at both ends of a line with more than twice as many. */
const LONG_LINE = 256;

interface WantedLines {
  bytes: Buffer;
  starts: Int32Array;
  lengths: Int32Array;
  count: number;
  blocks: readonly Int32Array[];
}

function collectLines(blocks: readonly (readonly string[])[]): WantedLines {
  const { numbers, numbered } = numberBlocks(blocks, (line) => line);
  const wanted = [...numbers.keys()];
  // The separator keeps half surrogates of two lines apart.
  const text = wanted.join("\n");
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const starts = new Int32Array(wanted.length + 1);
  const lengths = new Int32Array(wanted.length + 1);
  let start = 0;
  for (const [index, line] of wanted.entries()) {
    const length = isAscii ? line.length : Buffer.byteLength(line);
    starts[index + 1] = start;
    lengths[index + 1] = length;
    start += length + 1;
  }
  return { bytes, starts, lengths, count: wanted.length, blocks: numbered };
}

function numberExactly(table: LineTable, blocks: readonly (readonly string[])[]): NumberedLines {
  const wanted = collectLines(blocks);
  let size = 64;
  while (size < wanted.count * 4) size *= 2;
  const heads = new Int32Array(size);
  const nexts = new Int32Array(wanted.count + 1);
  const hashes = new Int32Array(wanted.count + 1);
  const lengths = new Uint8Array(LENGTHS);
  const wantedView = viewOf(wanted.bytes);
  for (let id = 1; id <= wanted.count; id += 1) {
    const start = wanted.starts[id] as number;
    const length = wanted.lengths[id] as number;
    const hash = hashLine(wantedView, start, start + length);
    const slot = hash & (size - 1);
    hashes[id] = hash;
    nexts[id] = heads[slot] as number;
    heads[slot] = id;
    lengths[Math.min(length, LENGTHS - 1)] = 1;
  }
  const { bytes, count, starts, ends } = table;
  const view = viewOf(bytes);
  const ids = new Int32Array(count);
  for (let line = 0; line < count; line += 1) {
    const start = starts[line] as number;
    const end = ends[line] as number;
    if (lengths[Math.min(end - start, LENGTHS - 1)] === 0) continue;
    const hash = hashLine(view, start, end);
    let id = heads[hash & (size - 1)] as number;
    while (id !== 0 && !(hashes[id] === hash && isLine(bytes, start, end, wanted, id)))
      id = nexts[id] as number;
    ids[line] = id;
  }
  return { ...listByNumber(ids, wanted.count), blocks: wanted.blocks };
}

/** Hashes four bytes at a time; only both ends of a very long line. */
function hashLine(view: DataView, start: number, end: number): number {
  const length = end - start;
  let hash = Math.imul(length, 0x9e3779b1);
  let at = start;
  const stop = length > 2 * LONG_LINE ? start + LONG_LINE : end;
  for (; at + 4 <= stop; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  for (at = Math.max(at, end - LONG_LINE); at < end; at += 1) {
    hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  }
  return hash ^ (hash >>> 13);
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

function isLine(bytes: Buffer, start: number, end: number, wanted: WantedLines, id: number): boolean {
  const from = wanted.starts[id] as number;
  const length = wanted.lengths[id] as number;
  if (end - start !== length) return false;
  for (let at = 0; at < length; at += 1) if (bytes[start + at] !== wanted.bytes[from + at]) return false;
  return true;
}

function listByNumber(ids: Int32Array, highest: number): Omit<NumberedLines, "blocks"> {
  const first = new Int32Array(highest + 2);
  for (const id of ids) if (id !== 0) first[id + 1] = (first[id + 1] as number) + 1;
  for (let id = 1; id < first.length; id += 1) first[id] = (first[id] as number) + (first[id - 1] as number);
  const next = first.slice();
  const order = new Int32Array(first[highest + 1] as number);
  for (let line = 0; line < ids.length; line += 1) {
    const id = ids[line] as number;
    if (id === 0) continue;
    order[next[id] as number] = line;
    next[id] = (next[id] as number) + 1;
  }
  return { ids, first, order };
}
