import { fc } from "@fast-check/vitest";
/**
 * Any code point but half a surrogate pair: for `fc.string({ unit: codePoint })`. The same texts, and the same way down
 * to a smaller one, as of fast-check's own `"binary"`, which lists all million of them first: seconds of each process.
 */
export declare const codePoint: fc.Arbitrary<string>;
