import { SCANNER_MODULE } from "./scanner-module.ts";

export const SCAN_SLICE_BYTES = 4 * 1024 * 1024;

/** A line feed, or a carriage return in a file without line feeds. */
export type LineEnd = typeof LF | typeof CR;
export const LF = 10;
export const CR = 13;

export function detectLineEnd(text: Buffer): LineEnd {
  return text.includes(LF) || !text.includes(CR) ? LF : CR;
}

export interface Scanner {
  /** {@link SCAN_SLICE_BYTES} long. Files are read into it directly. */
  readonly buffer: Buffer;
  count(at: number, end: number, lineEnd?: LineEnd): number;
  /** Returns the position after the nth (n ≥ 1) line end in `[at, end)`, or -1. */
  afterNewline(at: number, end: number, n: number, lineEnd?: LineEnd): number;
  /**
   * Returns positions of line ends in `[at, end)`, valid until the next call: it uses the buffer from `out`, a multiple of 4, and needs
   * four bytes for each scanned byte.
   */
  positions(at: number, end: number, out: number, lineEnd?: LineEnd): Int32Array;
  /** Counts UTF-16 code units that the UTF-8 bytes of `[at, end)` begin. */
  codeUnits(at: number, end: number): number;
}

/** The types of this repository do not declare WebAssembly. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: Exports };
}

interface Exports extends Omit<Scanner, "buffer" | "positions"> {
  positions(at: number, end: number, out: number, lineEnd: LineEnd): number;
}

// Missing if Node runs without a compiler.
const { WebAssembly: wasm } = globalThis as { WebAssembly?: WebAssemblyApi };

export function createScanner(): Scanner {
  const module = compile();
  return wasm === undefined || module === null ? createPlainScanner() : createWasmScanner(wasm, module);
}

let shared: Scanner | undefined;

/** For synchronous use: any other caller overwrites its buffer. */
export function sharedScanner(): Scanner {
  return (shared ??= createScanner());
}

let compiled: object | null | undefined;

function compile(): object | null {
  if (compiled === undefined) {
    const bytes = Buffer.from(SCANNER_MODULE, "base64");
    // Only a machine without SIMD rejects the module.
    compiled = wasm?.validate(bytes) ? new wasm.Module(bytes) : null;
  }
  return compiled;
}

function createWasmScanner({ Memory, Instance }: WebAssemblyApi, module: object): Scanner {
  // One additional page: the last vector may read past the end.
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
    // A larger number would overflow 32 bits. No buffer has so many lines.
    afterNewline: (at, end, n, lineEnd = LF) =>
      exports.afterNewline(at, end, Math.min(n, SCAN_SLICE_BYTES + 1), lineEnd),
  };
}

/** For machines and tests without SIMD. */
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
