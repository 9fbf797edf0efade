/** Splices are ordered, do not overlap, and use positions of the old content. They describe the whole change. */
export interface Splice {
  start: number;
  end: number;
  bytes: Uint8Array;
}

export function applySplices(before: Buffer, splices: readonly Splice[]): Buffer {
  let size = before.length;
  for (const splice of splices) size += splice.bytes.length - (splice.end - splice.start);
  const after = Buffer.allocUnsafe(size);
  let read = 0;
  let written = 0;
  for (const splice of splices) {
    written += before.copy(after, written, read, splice.start);
    after.set(splice.bytes, written);
    written += splice.bytes.length;
    read = splice.end;
  }
  before.copy(after, written, read);
  return after;
}

export function invertSplices(before: Buffer, splices: readonly Splice[]): Splice[] {
  let shift = 0;
  return splices.map(({ start, end, bytes }) => {
    const inverse = {
      start: start + shift,
      end: start + shift + bytes.length,
      bytes: before.subarray(start, end),
    };
    shift += bytes.length - (end - start);
    return inverse;
  });
}

export function spliceBetween(before: Buffer, after: Buffer): Splice[] {
  const start = commonPrefix(before, after);
  if (start === before.length && start === after.length) return [];
  const tail = commonSuffix(before, after, Math.min(before.length, after.length) - start);
  return [{ start, end: before.length - tail, bytes: after.subarray(start, after.length - tail) }];
}

export function composeSplices(
  first: readonly Splice[],
  second: readonly Splice[],
  beforeLength: number,
): readonly Splice[] {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  return toSplices(replacePieces(toPieces(first, beforeLength), second), beforeLength);
}

type Piece = { from: number; to: number } | Uint8Array;

const lengthOf = (piece: Piece): number =>
  piece instanceof Uint8Array ? piece.length : piece.to - piece.from;

function slicePiece(piece: Piece, start: number, end: number): Piece {
  if (piece instanceof Uint8Array) return piece.subarray(start, end);
  return { from: piece.from + start, to: piece.from + end };
}

function toPieces(splices: readonly Splice[], length: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, bytes } of splices) {
    pieces.push({ from: at, to: start }, bytes);
    at = end;
  }
  pieces.push({ from: at, to: length });
  return pieces.filter((piece) => lengthOf(piece) > 0);
}

function replacePieces(pieces: readonly Piece[], splices: readonly Splice[]): Piece[] {
  const result: Piece[] = [];
  let index = 0;
  let position = 0;
  let used = 0;
  const advance = (to: number, keep: boolean): void => {
    while (index < pieces.length && position < to) {
      const piece = pieces[index] as Piece;
      const take = Math.min(lengthOf(piece) - used, to - position);
      if (keep) result.push(slicePiece(piece, used, used + take));
      position += take;
      used += take;
      if (used === lengthOf(piece)) {
        index += 1;
        used = 0;
      }
    }
  };
  for (const { start, end, bytes } of splices) {
    advance(start, true);
    advance(end, false);
    if (bytes.length > 0) result.push(bytes);
  }
  advance(Number.POSITIVE_INFINITY, true);
  return result;
}

function toSplices(pieces: readonly Piece[], length: number): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  let added: Uint8Array[] = [];
  const close = (upTo: number): void => {
    if (upTo > at || added.length > 0) splices.push({ start: at, end: upTo, bytes: Buffer.concat(added) });
    added = [];
  };
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      added.push(piece);
      continue;
    }
    close(piece.from);
    at = piece.to;
  }
  close(length);
  return splices;
}

/** Blocks are compared natively, only the differing block byte by byte. */
const BLOCK = 64 * 1024;

function commonPrefix(a: Buffer, b: Buffer): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= limit && a.compare(b, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  while (at < limit && a[at] === b[at]) at += 1;
  return at;
}

function commonSuffix(a: Buffer, b: Buffer, limit: number): number {
  let size = 0;
  while (size + BLOCK <= limit) {
    const endA = a.length - size;
    const endB = b.length - size;
    if (a.compare(b, endB - BLOCK, endB, endA - BLOCK, endA) !== 0) break;
    size += BLOCK;
  }
  while (size < limit && a[a.length - 1 - size] === b[b.length - 1 - size]) size += 1;
  return size;
}
