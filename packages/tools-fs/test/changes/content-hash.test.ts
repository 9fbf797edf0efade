import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { contentHash, prepareHash } from "../../src/changes/text/content-hash.ts";

const MB = 1024 * 1024;

function sampleOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1009) bytes[at] = at % 251;
  return bytes;
}

const expected = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("the hash of a large file", () => {
  it.each([MB - 1, MB, MB + 1, 5 * MB + 7])("covers all %i bytes", async (length) => {
    const bytes = sampleOf(length);
    await prepareHash(bytes);
    expect(contentHash(bytes)).toBe(expected(bytes));
  });

  it("is available before the preparation ends, and does not change", async () => {
    const bytes = sampleOf(5 * MB);
    const prepared = prepareHash(bytes);
    expect(contentHash(bytes)).toBe(expected(bytes));
    await prepared;
    expect(contentHash(bytes)).toBe(expected(bytes));
  });

  it("lets other work run between slices", async () => {
    const turns: string[] = [];
    const prepared = prepareHash(sampleOf(5 * MB)).then(() => turns.push("hashed"));
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push("other");
    }
    await prepared;
    expect(turns).toEqual(["other", "other", "other", "hashed"]);
  });
});
