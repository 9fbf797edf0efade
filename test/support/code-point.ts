import { fc } from "@fast-check/vitest";

// Code points above those of surrogate pairs are counted without them.
const SURROGATES = 0xd800;
const PAIRS = 0x800;

/**
 * Any code point but half a surrogate pair: for `fc.string({ unit: codePoint })`. The same texts, and the same way down
 * to a smaller one, as of fast-check's own `"binary"`, which lists all million of them first: seconds of each process.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x110000 - PAIRS - 1 }).map(
  (index) => String.fromCodePoint(index < SURROGATES ? index : index + PAIRS),
  (text) => {
    const code = typeof text === "string" ? text.codePointAt(0) : undefined;
    const isWhole = code !== undefined && (code < SURROGATES || code >= SURROGATES + PAIRS);
    if (!isWhole || text !== String.fromCodePoint(code)) throw new Error("not one code point");
    return code < SURROGATES ? code : code - PAIRS;
  },
);
