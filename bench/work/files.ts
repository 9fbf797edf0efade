// The same file tool work for every implementation.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const KB = 1024;
export const MB = 1024 * 1024;

/** Read-only files. */
export const FILES = {
  small: { name: "small.txt", bytes: 2 * KB },
  medium: { name: "medium.txt", bytes: 10 * MB },
  large: { name: "large.txt", bytes: 256 * MB },
  huge: { name: "huge.txt", bytes: 1024 * MB },
  image: { name: "image.png", bytes: 10 * MB },
} as const;

const LINE_LENGTH = 64;

/** Unique source lines without line ends. */
function lineOf(index: number): string {
  return `  const value${index} = compute(${index}, "text of line ${index}");`.padEnd(LINE_LENGTH - 1, " ");
}

/** About this many bytes in lines of 64. */
function textOf(bytes: number): string {
  const lines: string[] = [];
  for (let index = 0; index < bytes / LINE_LENGTH; index++) lines.push(lineOf(index));
  return `${lines.join("\n")}\n`;
}

/** The middle line, from 1. */
export function getMiddleLine({ bytes }: { bytes: number }): number {
  return bytes / LINE_LENGTH / 2;
}

export function makeFiles(folder: string): void {
  for (const { name, bytes } of [FILES.small, FILES.medium]) writeFileSync(join(folder, name), textOf(bytes));
  const block = Buffer.from(textOf(16 * MB));
  for (const { name, bytes } of [FILES.large, FILES.huge]) {
    const file = openSync(join(folder, name), "w");
    for (let written = 0; written < bytes; written += block.length) writeSync(file, block);
    // The disk would be busy during the first cases.
    fsyncSync(file);
    closeSync(file);
  }
  writeFileSync(join(folder, FILES.image.name), noisyPng(1900, 1840));
}

/** Makes a file look changed, to invalidate caches. */
export function touch(path: string): void {
  const now = Date.now() / 1000;
  utimesSync(path, now, now);
}

/** An incompressible image: three bytes per point. */
function noisyPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let state = 1;
  for (let at = 0; at < rows.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[at] = at % (1 + width * 3) === 0 ? 0 : state >>> 24;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function createWorkFolder(fixtures: string): string {
  return mkdtempSync(join(fixtures, "work-"));
}

/** A different kilobyte each time. */
export function createContent(turn: number): string {
  return `${turn}\n${textOf(KB)}`.slice(0, KB);
}

/** Different 10 MB each time. */
export function largeContents(): (turn: number) => string {
  const text = textOf(10 * MB);
  return (turn) => `${turn}\n${text}`.slice(0, 10 * MB);
}

/** Replaces a middle line, differently each time. */
export class EditWork {
  readonly path: string;
  #turn = 0;

  constructor(folder: string, bytes: number) {
    this.path = join(folder, "edited.ts");
    const text = textOf(bytes);
    const middle = text.indexOf("\n", text.length / 2) + 1;
    writeFileSync(this.path, `${text.slice(0, middle)}${changing(0)}\n${text.slice(middle)}`);
  }

  next(): { oldText: string; newText: string } {
    return { oldText: changing(this.#turn), newText: changing(++this.#turn) };
  }
}

function changing(turn: number): string {
  return `  const changing = compute(${turn}, "the line that changes");`;
}

export interface PatchSize {
  files: number;
  lines: number;
  hunks: number;
}

/** Files and patches that change lines back and forth. */
export class PatchWork {
  readonly paths: readonly string[];
  readonly #hunks: number;
  readonly #lines: number;
  #turn = 0;

  constructor(folder: string, { files, lines, hunks }: PatchSize) {
    mkdirSync(join(folder, "src"));
    this.paths = Array.from({ length: files }, (_, index) => `src/file-${index}.ts`);
    this.#hunks = hunks;
    this.#lines = lines;
    for (const path of this.paths) writeFileSync(join(folder, path), textOf(lines * LINE_LENGTH));
  }

  nextDiff(): string {
    const [from, to] = this.#turn++ % 2 === 0 ? ["", " // changed"] : [" // changed", ""];
    const out: string[] = [];
    const distance = Math.floor(this.#lines / this.#hunks);
    for (let hunk = 0; hunk < this.#hunks; hunk++) {
      const at = hunk * distance + Math.floor(distance / 2);
      const context = (line: number) => ` ${lineOf(line)}`;
      out.push(
        "@@",
        ...[at - 3, at - 2, at - 1].map(context),
        `-${lineOf(at)}${from}`,
        `+${lineOf(at)}${to}`,
        ...[at + 1, at + 2, at + 3].map(context),
      );
    }
    return out.join("\n");
  }

  next(): string {
    const diff = this.nextDiff();
    const sections = this.paths.map((path) => `*** Update File: ${path}\n${diff}`);
    return `*** Begin Patch\n${sections.join("\n")}\n*** End Patch`;
  }
}

/** An operation's time, longest stall, and peak memory. */
export async function observe(run: () => unknown): Promise<{ time: number; stall: number; memory: number }> {
  const beat = 1;
  let last = performance.now();
  let stall = 0;
  const note = () => {
    const now = performance.now();
    stall = Math.max(stall, now - last - beat);
    last = now;
  };
  const before = process.memoryUsage.rss();
  const peakBefore = process.resourceUsage().maxRSS;
  const timer = setInterval(note, beat);
  last = performance.now();
  const start = last;
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  const time = performance.now() - start;
  note();
  const peak = process.resourceUsage().maxRSS;
  const memory = (peak > peakBefore ? peak * 1024 : process.memoryUsage.rss()) - before;
  return { time: time * 1e6, stall: stall * 1e6, memory: Math.max(0, memory) };
}
