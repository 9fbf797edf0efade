import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ReadTextDetails } from "../../src/read/read-result.ts";
import { createReadTool } from "../../src/read/read.ts";
import { bench, failure, texts } from "../support/tool-context.ts";

const tool = createReadTool();
const MEGABYTE = 1024 * 1024;

/** 300 MiB of numbered lines of 64 bytes. */
function writeNumbered(path: string): number {
  const file = openSync(path, "w");
  const lines = (300 * MEGABYTE) / 64;
  // A number only ever takes the place of a shorter one.
  const block = Buffer.from(`${".".repeat(63)}\n`.repeat(16_384));
  for (let line = 1; line <= lines;) {
    for (let at = 0; at < block.length; at += 64, line += 1) block.write(`${line}`, at, "latin1");
    writeSync(file, block);
  }
  closeSync(file);
  return lines;
}

it("shows any page of 300 MB without loading the file or blocking the event loop", async () => {
  const { folder, call, workspace } = bench();
  const lines = writeNumbered(join(folder, "big.log"));
  const page = async (offset: number) => {
    const result = await call<ReadTextDetails>(tool, { path: "big.log", offset, limit: 1 });
    expect(texts(result)[0]).toBe(`${offset}`.padEnd(63, ".") + "\n");
    // How far lines are counted beyond the page depends on the machine, until somebody asks for the last one.
    if (result.details.linesAtLeast === true) expect(result.details.lines).toBeLessThan(lines);
    else expect(result.details.lines).toBe(lines);
    return result.details;
  };
  await page(1);

  let turns = 0;
  const counter = setInterval(() => (turns += 1), 1);
  const before = process.memoryUsage().rss;
  // A file system nobody has read from yet: nothing is remembered.
  const fresh = { workspace: { ...workspace, fs: { ...workspace.fs } }, model: { contextTokens: 1 } };
  const signal = new AbortController().signal;
  const params = { path: "big.log", offset: lines };
  const result = await tool.execute("1", params, signal, undefined, fresh as never);
  expect(texts(result)[0]).toBe(`${lines}`.padEnd(63, ".") + "\n");
  clearInterval(counter);
  expect(turns).toBeGreaterThan(0);
  expect(process.memoryUsage().rss - before).toBeLessThan(16 * MEGABYTE);

  for (const offset of [lines, 2, 2_500_000, 4096, 4097, 4095, 1_234_567])
    expect((await page(offset)).linesAtLeast).toBeUndefined();
});

it("reads one small piece for a page at a known position", async () => {
  const sizes: number[] = [];
  const { folder, call } = bench({
    wrap: (fs) => ({
      ...fs,
      read: async (path, options) => {
        const result = await fs.read(path, options);
        sizes.push(result.bytes.length);
        return result;
      },
    }),
  });
  writeFileSync(join(folder, "a.txt"), "0123456789 123456789\n".repeat(1_000_000));
  const first = await call<ReadTextDetails>(tool, { path: "a.txt", offset: 500_000 });
  sizes.length = 0;
  await call(tool, { path: "a.txt", ...first.details.continuation, kind: undefined });
  await call(tool, { path: "a.txt", offset: 123_456 });
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(400 * 1024);
});

it("continues in one line of 64 MB by cursor", async () => {
  const { folder, call } = bench({ model: { contextTokens: 1_000_000 } });
  const line = "añ漢😀".repeat(6_000_000);
  writeFileSync(join(folder, "a.json"), `[\n${line}\n]\n`);
  const at = 5 * 5_999_990;
  const page = (more: object) => call<ReadTextDetails>(tool, { path: "a.json", offset: 2, ...more });
  const middle = await page({ cursor: 10_000_000 });
  const { continuation } = middle.details;
  expect(texts(middle)[0]).toBe(line.slice(10_000_000, continuation?.cursor));
  const next = await page({ ...continuation, kind: undefined });
  expect(texts(next)[0]).toBe(line.slice(continuation?.cursor, next.details.continuation?.cursor));
  expect(texts(await page({ cursor: at }))[0]).toBe(`${line.slice(at)}\n]\n`);
  expect((await failure(page({ cursor: line.length + 1 }))).code).toBe("INVALID_ARGUMENTS");
});

it("detects a sparse gigabyte as binary after one read", async () => {
  const { folder, call } = bench();
  writeFileSync(join(folder, "disk.img"), "");
  truncateSync(join(folder, "disk.img"), 1024 * MEGABYTE);
  const error = await failure(call(tool, { path: "disk.img" }));
  expect(error.code).toBe("BINARY_FILE");
  expect(error.message).toContain("1 GB");
});
