import { fc, test as property } from "@fast-check/vitest";
import type { OutputChunk } from "@haft/core";
import { describe, expect, test } from "vitest";
import { decodeOutput } from "../../src/output/decode-output.ts";
import { LineReader } from "../../src/output/line-reader.ts";
import type { ReadOutput } from "../../src/output/read-window.ts";

/** Output that grows, as a workspace answers it: from an offset on, at most so many bytes. */
class Output {
  #bytes = Buffer.alloc(0);
  /** What is before is dropped. */
  dropped = 0;

  write(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  readonly read: ReadOutput = async (from, { max }) => {
    const start = Math.max(from, this.dropped);
    const bytes = this.#bytes.subarray(start, start + max);
    const chunks: OutputChunk[] = bytes.length === 0 ? [] : [{ stream: "stdout", offset: start, bytes }];
    const next = start + bytes.length;
    return { chunks, next, dropped: start - from, total: this.#bytes.length, state: "running" };
  };
}

const pieces = fc.array(fc.oneof(fc.constantFrom("\n", "\r", "ä", "😀", "\u001b[1m", "a"), fc.string()), {
  maxLength: 40,
});

property.prop([pieces, fc.array(fc.nat(200))])(
  "returns lines that together equal the output, at any time of reading",
  async (texts, offsets) => {
    const bytes = Buffer.from(texts.join(""));
    const output = new Output();
    const reader = new LineReader(output.read);
    let all = "";
    let from = 0;
    for (const testSite of offsets.toSorted((a, b) => a - b)) {
      output.write(bytes.subarray(from, testSite));
      from = Math.max(from, Math.min(testSite, bytes.length));
      const lines = await reader.next();
      expect(lines === "" || lines.endsWith("\n")).toBe(true);
      all += lines;
    }
    output.write(bytes.subarray(from));
    all += await reader.rest();
    const whole = [{ stream: "stdout" as const, offset: 0, bytes }];
    expect(all).toBe(decodeOutput(whole, undefined, { ended: true }).text);
  },
);

describe("long output", () => {
  test("does not wait for the end of a long line", async () => {
    const output = new Output();
    const reader = new LineReader(output.read);
    output.write(Buffer.alloc(200 * 1024, "x"));
    expect((await reader.next()).length).toBe(128 * 1024);
    expect(await reader.next()).toBe("");
    expect((await reader.rest()).length).toBe(72 * 1024);
  });

  test("skips to the end for a slow reader, and reports the skipped bytes", async () => {
    const output = new Output();
    const reader = new LineReader(output.read);
    output.write(Buffer.from("0123456789abcde\n".repeat(256 * 1024)));
    const lines = await reader.next();
    expect(lines).toMatch(/^\[… 3\.9 MB left out …\]\n/);
    expect(lines.endsWith("\n0123456789abcde\n")).toBe(true);
    expect(await reader.rest()).toBe("");
  });

  test("reports dropped bytes", async () => {
    const output = new Output();
    const reader = new LineReader(output.read);
    output.write(Buffer.from("one\ntwo\nthree\n"));
    output.dropped = 8;
    expect(await reader.next()).toBe("[… 8 B left out …]\nthree\n");
  });
});
