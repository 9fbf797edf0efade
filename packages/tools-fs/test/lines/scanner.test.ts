import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { scaleRuns } from "../../../../test/support/share.ts";
import { CR, createPlainScanner, createScanner, LF, SCAN_SLICE_BYTES } from "../../src/lines/scanner.ts";

const fast = createScanner();
const plain = createPlainScanner();

/** Bytes rich in line feeds and in all kinds of UTF-8 bytes, anywhere relative to the vectors. */
const bytes = fc
  .uint8Array({ maxLength: 9_000 })
  .map((array) => array.map((byte) => (byte % 7 === 0 ? 10 : byte % 7 === 1 ? 13 : byte)));

test.prop([bytes, fc.nat(100), fc.nat(10_000), fc.integer({ min: 1, max: 400 })], {
  numRuns: scaleRuns(300, 4),
})("returns equal results in WebAssembly and JavaScript", (content, from, length, n) => {
  // Line feeds beyond the end must not be counted.
  for (const { buffer } of [fast, plain]) {
    buffer.fill(10, 0, 12_000);
    buffer.set(content, from);
  }
  const to = from + Math.min(length, content.length);
  expect(fast.count(from, to)).toBe(plain.count(from, to));
  expect(fast.afterNewline(from, to, n)).toBe(plain.afterNewline(from, to, n));
  expect(fast.count(from, to, CR)).toBe(plain.count(from, to, CR));
  expect(fast.afterNewline(from, to, n, CR)).toBe(plain.afterNewline(from, to, n, CR));
  expect(fast.codeUnits(from, to)).toBe(plain.codeUnits(from, to));
  // Behind what is looked at.
  for (const end of [LF, CR] as const) {
    const where = [...content.subarray(0, to - from).entries()].filter(([, byte]) => byte === end);
    const expected = where.map(([at]) => from + at);
    expect([...fast.positions(from, to, 12_000, end)]).toEqual(expected);
    expect([...plain.positions(from, to, 12_000, end)]).toEqual(expected);
  }
});

test.prop([fc.string({ unit: codePoint })])("counts code units like JavaScript strings", (text) => {
  const length = fast.buffer.write(text);
  expect(fast.codeUnits(0, length)).toBe(text.length);
});

it("counts a whole slice of line feeds", () => {
  fast.buffer.fill(10);
  expect(fast.count(0, SCAN_SLICE_BYTES)).toBe(SCAN_SLICE_BYTES);
  expect(fast.afterNewline(0, SCAN_SLICE_BYTES, SCAN_SLICE_BYTES)).toBe(SCAN_SLICE_BYTES);
  expect(fast.afterNewline(0, SCAN_SLICE_BYTES, SCAN_SLICE_BYTES + 1)).toBe(-1);
});

test.prop([bytes, fc.oneof(fc.maxSafeNat(), fc.constantFrom(2 ** 31, 2 ** 32 + 1, 1e300))])(
  "finds no line for a number beyond 32 bits",
  (content, n) => {
    for (const { buffer } of [fast, plain]) buffer.set(content);
    const found = plain.afterNewline(0, content.length, n + 1);
    expect(fast.afterNewline(0, content.length, n + 1)).toBe(found);
  },
);

it("finds nothing in an empty range", () => {
  expect([fast.count(5, 5), fast.afterNewline(5, 5, 1), fast.codeUnits(5, 5)]).toEqual([0, -1, 0]);
  for (const one of [fast, plain]) expect([...one.positions(5, 5, 8)]).toEqual([]);
});

it("runs as WebAssembly here, so that the comparison is meaningful", () => {
  expect(fast.codeUnits.toString()).toContain("[native code]");
});
