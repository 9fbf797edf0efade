import { CR, detectLineEnd } from "../lines/scanner.ts";
import type { GrepQuery } from "./query.ts";

/** Limits a displayed line, in characters. Longer lines are cut around their first match. */
const MOST_LINE_CHARACTERS = 300;

/** A part of one file: valid UTF-8, cut at line ends. Positions are bytes in the job's buffer. */
export interface GrepPiece {
  from: number;
  to: number;
  /** Range of matches: `[searchFrom, searchTo)`. The rest is context. */
  searchFrom: number;
  searchTo: number;
  firstLine: number;
  maxMatches: number;
  /** Skips matches up to this line; 0 for none. */
  afterLine: number;
}

export interface SearchJob {
  bytes: Uint8Array;
  pieces: readonly GrepPiece[];
  query: GrepQuery;
  context: number;
}

export interface FoundLine {
  line: number;
  text: string;
  match: boolean;
}

export type PieceResult = FoundLine[];

/** Only this part of a search depends on the pattern in its time. */
export function searchText({ bytes, pieces, query, context }: SearchJob): PieceResult[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const matcher = createMatcher(query);
  return pieces.map((piece) => searchPiece(buffer, piece, matcher, context));
}

interface Matcher {
  possible(bytes: Buffer): boolean;
  find(line: string): number;
}

function createMatcher(query: GrepQuery): Matcher {
  if (query.kind === "literal") {
    const { text } = query;
    return { possible: (bytes) => bytes.includes(text), find: (line) => line.indexOf(text) };
  }
  const regex = new RegExp(query.source, query.flags);
  return { possible: () => true, find: (line) => regex.exec(line)?.index ?? -1 };
}

function searchPiece(buffer: Buffer, piece: GrepPiece, matcher: Matcher, context: number): PieceResult {
  const bytes = buffer.subarray(piece.from, piece.to);
  if (!matcher.possible(bytes)) return [];
  const lines = linesOf(bytes);
  const before = linesOf(bytes.subarray(0, piece.searchFrom - piece.from)).length;
  const last = linesOf(bytes.subarray(0, piece.searchTo - piece.from)).length;
  const positions = new Map<number, number>();
  const first = Math.max(before, piece.afterLine - piece.firstLine + 1);
  for (let at = first; at < last && positions.size < piece.maxMatches; at += 1) {
    const found = matcher.find(lines[at] as string);
    if (found >= 0) positions.set(at, found);
  }
  const shown = new Set<number>();
  for (const at of positions.keys()) {
    for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near += 1)
      shown.add(near);
  }
  return [...shown].map((at) => {
    const position = positions.get(at);
    const text = clip(lines[at] as string, position ?? 0);
    return { line: piece.firstLine + at, text, match: position !== undefined };
  });
}

function linesOf(bytes: Buffer): string[] {
  if (bytes.length === 0) return [];
  const text = bytes.toString("utf8");
  const lines = text.split(detectLineEnd(bytes) === CR ? "\r" : "\n");
  const open = lines.pop() ?? "";
  const ended = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return open === "" ? ended : [...ended, open];
}

function clip(line: string, position: number): string {
  if (line.length <= MOST_LINE_CHARACTERS) return line;
  const start = Math.max(
    0,
    Math.min(position - MOST_LINE_CHARACTERS / 3, line.length - MOST_LINE_CHARACTERS),
  );
  const part = line.slice(start, start + MOST_LINE_CHARACTERS).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + MOST_LINE_CHARACTERS < line.length ? "…" : ""}`;
}
