import { fc, test as property } from "@fast-check/vitest";
import type { OutputChunk } from "@haft/core";
import type { OutputStream } from "@haft/core/internal";
import { describe, expect, test } from "vitest";
import { decodeOutput, INITIAL_DECODER_STATE } from "../../src/output/decode-output.ts";

/** One stream, cut at these places. */
function cut(bytes: Uint8Array, offsets: number[] = [], stream: OutputStream = "stdout"): OutputChunk[] {
  const ends = [...new Set([...offsets.map((one) => one % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  let offset = 0;
  return ends.map((end) => {
    const chunk = { stream, offset, bytes: bytes.subarray(offset, end) };
    offset = end;
    return chunk;
  });
}

const shown = (text: string): string =>
  decodeOutput(cut(Buffer.from(text)), INITIAL_DECODER_STATE, { ended: true }).text;

describe("invisible output", () => {
  test.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["8-bit colours", "\u009b31mred\u009b0m", "red"],
    ["a title ended by BEL", "\u001b]0;title\u0007text", "text"],
    ["a title ended by ST", "\u001b]0;title\u001b\\text", "text"],
    ["a link", "\u001b]8;;http://x\u001b\\name\u001b]8;;\u001b\\", "name"],
    ["an image", "\u001bPq#0;2;0;0;0\n-\u001b\\text", "text"],
    ["an application string", "\u001b_Gi=1;AAAA\u001b\\text", "text"],
    ["modes and cursor movements", "\u001b[?25l\u001b[2J\u001b[H\u001b[3Atext\u001b[?25h", "text"],
    ["character sets and resets", "\u001b(B\u001b=\u001bctext\u001b7", "text"],
    ["control characters", "a\u0000b\u0007c\u000bd", "abcd"],
    ["a title that never ends swallows its line only", "\u001b]0;title\nnext", "\nnext"],
    ["an invalid sequence", "\u001b[31\u00e9 is text", "\u00e9 is text"],
    ["a sequence of absurd length", `\u001b[${"1".repeat(300)}`, ""],
    ["an escape at the very end", "text\u001b", "text"],
  ])("removes %s", (_name, input, expected) => {
    expect(shown(input)).toBe(expected);
  });
});

describe("redrawn lines", () => {
  test.each([
    ["a progress bar", "10%\r20%\r100%\ndone", "100%\ndone"],
    ["a shorter state leaves the end", "loading\rok", "okading"],
    ["unless it erases", "loading\r\u001b[Kok", "ok"],
    ["erasing all of it", "loading\u001b[2K\u001b[1Gok", "ok"],
    ["erasing its start", "abcdef\u001b[3D\u001b[1Kx", "   xef"],
    ["backspaces", "abc\b\bX", "aXc"],
    ["line ends of Windows", "a\r\nb\r\n", "a\nb\n"],
    ["moving right", "a\u001b[3Cb", "a   b"],
    ["emoji count once", "😀😀\rx", "x😀"],
    ["a position beyond all screens", "\u001b[99999999Gx", "x".padStart(4096)],
  ])("shows the last state: %s", (_name, input, expected) => {
    expect(shown(input)).toBe(expected);
  });
});

test("keeps characters whole if streams alternate", () => {
  const euro = Buffer.from("€");
  const chunks: OutputChunk[] = [
    { stream: "stdout", offset: 0, bytes: euro.subarray(0, 1) },
    { stream: "stderr", offset: 1, bytes: Buffer.from("!") },
    { stream: "stdout", offset: 2, bytes: euro.subarray(1) },
  ];
  expect(decodeOutput(chunks, INITIAL_DECODER_STATE).text).toBe("!€");
});

test("discards incomplete characters before a gap", () => {
  const chunks: OutputChunk[] = [
    { stream: "stdout", offset: 0, bytes: Buffer.from("a\u001b[3") },
    { stream: "stdout", offset: 900, bytes: Buffer.from("1mb") },
  ];
  expect(decodeOutput(chunks, INITIAL_DECODER_STATE).text).toBe("a1mb");
});

test("keeps an incomplete character for the next chunk, and shows it as invalid at the end", () => {
  const half = cut(Buffer.from("a€").subarray(0, 3));
  expect(decodeOutput(half, INITIAL_DECODER_STATE).text).toBe("a");
  expect(decodeOutput(half, INITIAL_DECODER_STATE, { ended: true }).text).toBe("a\uFFFD");
});

const pieces = fc.array(
  fc.constantFrom(
    "a",
    "é",
    "€",
    "😀",
    "\n",
    "\u001b[31m",
    "\u001b]0;t\u0007",
    "\u001bPx\u001b\\",
    "\u009b1m",
    "\u001b(B",
    "b c",
  ),
  { maxLength: 40 },
);

property.prop([pieces, fc.array(fc.nat(400), { maxLength: 30 })])(
  "returns the same text for any chunks",
  (parts, offsets) => {
    const bytes = Buffer.from(parts.join(""));
    const whole = decodeOutput(cut(bytes), INITIAL_DECODER_STATE, { ended: true }).text;
    expect(decodeOutput(cut(bytes, offsets), INITIAL_DECODER_STATE, { ended: true }).text).toBe(whole);
    let state = INITIAL_DECODER_STATE;
    let text = "";
    for (const chunk of cut(bytes, offsets)) {
      const decoded = decodeOutput([chunk], state);
      state = decoded.state;
      text += decoded.text;
    }
    expect(text).toBe(whole);
  },
);

property.prop([fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300), { maxLength: 10 })])(
  "returns text without control characters for any bytes",
  (bytes, offsets) => {
    const { text } = decodeOutput(cut(bytes, offsets), INITIAL_DECODER_STATE, { ended: true });
    expect(text.isWellFormed()).toBe(true);
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  },
);
