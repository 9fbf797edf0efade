import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { findInvalidByte } from "../../src/content/encoding.ts";

it.each([
  ["nothing", Buffer.alloc(0), 0],
  ["a wrong byte after a character of four bytes", Buffer.from([0xf0, 0x9f, 0x98, 0x80, 0xff]), 4],
  ["a character cut off", Buffer.from([0x61, 0xe2, 0x82]), 1],
])("the first byte that is not UTF-8: %s", (_, bytes, at) => {
  expect(findInvalidByte(bytes)).toBe(at);
});

test.prop([fc.string({ unit: codePoint }), fc.string({ unit: codePoint })])(
  "is found after any text, and not in valid text",
  (before, after) => {
    const [text, rest] = [Buffer.from(before), Buffer.from(after)];
    expect(findInvalidByte(text)).toBe(text.length);
    expect(findInvalidByte(Buffer.concat([text, Buffer.from([0xff]), rest]))).toBe(text.length);
  },
);
