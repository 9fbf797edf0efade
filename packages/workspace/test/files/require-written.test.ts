import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requireWritten } from "../../src/files/write-file.ts";

const MB = 1024 * 1024;
const request = { verb: "write", path: "file" };

function holding(bytes: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), "haft-written-"));
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  const fd = openSync(path, "r");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  return fd;
}

const pattern = (length: number): Buffer => Buffer.alloc(length, "any text of some length, again and again ");
const lost = { code: "FILE_SYSTEM_FAILED", receipt: "committed" };

test.each([1, 1000, MB, MB + 1, 9 * MB + 5])("accepts %d bytes that match the file", async (length) => {
  const bytes = pattern(length);
  await expect(requireWritten(holding(bytes), bytes, request)).resolves.toBeUndefined();
});

test("rejects a shorter file, and an empty file", async () => {
  await expect(requireWritten(holding(pattern(99)), pattern(100), request)).rejects.toMatchObject(lost);
  await expect(requireWritten(holding(pattern(0)), pattern(1), request)).rejects.toMatchObject(lost);
  await requireWritten(holding(pattern(0)), pattern(0), request);
});

test.each([0, MB, 5 * MB, 9 * MB + 4])("rejects one different byte at %d", async (at) => {
  const bytes = pattern(9 * MB + 5);
  const other = Buffer.from(bytes);
  other[at] = (other[at] as number) ^ 1;
  await expect(requireWritten(holding(other), bytes, request)).rejects.toMatchObject(lost);
});
