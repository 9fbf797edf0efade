import { SCANNER_MODULE } from "./scanner-module.ts";

export const SCAN_SLICE_BYTES = 4 * 1024 * 1024;

/** The byte that ends the lines of a file: a line feed, or a carriage return where there is no line feed at all. */
export type LineEnd = typeof LF | typeof CR;
export const LF = 10;
export const CR = 13;

/** Which byte ends the lines of this text. A carriage return beside line feeds is a character like others. */
export function detectLineEnd(text: Buffer): LineEnd {
  return text.includes(LF) || !text.includes(CR) ? LF : CR;
}

export interface Scanner {
  /** {@link SCAN_SLICE_BYTES} long; files are read straight into it. */
  readonly buffer: Buffer;
  /** Line ends in `[at, end)`. */
  count(at: number, end: number, lineEnd?: LineEnd): number;
  /** The position after the nth (n ≥ 1) line end in `[at, end)`, or -1. */
  afterNewline(at: number, end: number, n: number, lineEnd?: LineEnd): number;
  /**
   * Where the line ends in `[at, end)` are. The answer is as good as the next question: it lies in the buffer, from `out` on,
   * which is a multiple of 4, with room for four bytes for each byte that is looked at.
   */
  positions(at: number, end: number, out: number, lineEnd?: LineEnd): Int32Array;
  /** UTF-16 code units begun by the UTF-8 bytes of `[at, end)`. */
  codeUnits(at: number, end: number): number;
}

/** The part of the WebAssembly API used here: neither Node's types nor this house's `lib` declare it. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: Exports };
}

interface Exports extends Omit<Scanner, "buffer" | "positions"> {
  /** Answers how many it has written to `out`. */
  positions(at: number, end: number, out: number, lineEnd: LineEnd): number;
}

// Missing where Node runs without a compiler.
const { WebAssembly: wasm } = globalThis as { WebAssembly?: WebAssemblyApi };

/** A scanner in WebAssembly where the machine has SIMD, in JavaScript elsewhere. */
export function createScanner(): Scanner {
  const module = compile();
  return wasm === undefined || module === null ? createPlainScanner() : createWasmScanner(wasm, module);
}

let shared: Scanner | undefined;

/** One for whoever asks and has the answer at once: what it holds is anybody's after that. */
export function sharedScanner(): Scanner {
  return (shared ??= createScanner());
}

let compiled: object | null | undefined;

function compile(): object | null {
  if (compiled === undefined) {
    const bytes = Buffer.from(SCANNER_MODULE, "base64");
    // A machine without SIMD rejects the module; nothing else about it can be invalid.
    compiled = wasm?.validate(bytes) ? new wasm.Module(bytes) : null;
  }
  return compiled;
}

function createWasmScanner({ Memory, Instance }: WebAssemblyApi, module: object): Scanner {
  // One page more than a slice: the last vector may reach past the end.
  const pages = SCAN_SLICE_BYTES / 65_536 + 1;
  const memory = new Memory({ initial: pages, maximum: pages });
  const { exports } = new Instance(module, { env: { memory } });
  const { codeUnits } = exports;
  return {
    buffer: Buffer.from(memory.buffer, 0, SCAN_SLICE_BYTES),
    codeUnits,
    count: (at, end, lineEnd = LF) => exports.count(at, end, lineEnd),
    positions: (at, end, out, lineEnd = LF) =>
      new Int32Array(memory.buffer, out, exports.positions(at, end, out, lineEnd)),
    // A number too large for 32 bits would wrap into another line's; no buffer has so many lines.
    afterNewline: (at, end, n, lineEnd = LF) =>
      exports.afterNewline(at, end, Math.min(n, SCAN_SLICE_BYTES + 1), lineEnd),
  };
}

/** The same answers without WebAssembly, for machines (and tests) without SIMD. */
export function createPlainScanner(): Scanner {
  const buffer = Buffer.allocUnsafeSlow(SCAN_SLICE_BYTES);
  return {
    buffer,
    count(at, end, lineEnd = LF) {
      let found = 0;
      for (let i = buffer.indexOf(lineEnd, at); i >= 0 && i < end; i = buffer.indexOf(lineEnd, i + 1))
        found += 1;
      return found;
    },
    positions(at, end, out, lineEnd = LF) {
      const found = new Int32Array(buffer.buffer, out, end - at);
      let count = 0;
      for (let i = buffer.indexOf(lineEnd, at); i >= 0 && i < end; i = buffer.indexOf(lineEnd, i + 1))
        found[count++] = i;
      return found.subarray(0, count);
    },
    afterNewline(at, end, n, lineEnd = LF) {
      let left = n;
      for (let i = buffer.indexOf(lineEnd, at); i >= 0 && i < end; i = buffer.indexOf(lineEnd, i + 1)) {
        left -= 1;
        if (left === 0) return i + 1;
      }
      return -1;
    },
    codeUnits(at, end) {
      let units = 0;
      for (let i = at; i < end; i += 1) {
        const byte = buffer[i] as number;
        if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
      }
      return units;
    },
  };
}
