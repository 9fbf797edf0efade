import { fc, test as property } from "@fast-check/vitest";
import type { OutputStream } from "@haft/core/internal";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { OutputLog } from "../../../src/run/output/output-log.ts";
import { folder } from "../../processes/support.ts";

const writes = fc.array(
  fc.record({
    stream: fc.constantFrom<OutputStream>("stdout", "stderr"),
    length: fc.integer({ min: 0, max: 60 }),
  }),
  { maxLength: 60 },
);

/** Bytes that say where they are. */
const at = (offset: number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (offset + index) % 251));

property.prop(
  [
    writes,
    fc.integer({ min: 1, max: 80 }),
    fc.integer({ min: 0, max: 200 }),
    fc.integer({ min: 1, max: 50 }),
  ],
  {
    numRuns: scaleRuns(200, 4),
  },
)(
  "returns every byte once, in order, with its stream, or counts it as dropped",
  (parts, ringBytes, spoolBytes, max) => {
    const log = new OutputLog({ ringBytes, spoolBytes, spoolPath: join(folder(), "spool") });
    const streams: OutputStream[] = [];
    for (const { stream, length } of parts) {
      log.append(stream, at(streams.length, length));
      streams.push(...Array.from({ length }, () => stream));
    }
    const total = streams.length;
    let read = 0;
    let dropped = 0;
    for (let from = 0; from < total;) {
      const result = log.read(from, max);
      let expected = from;
      for (const { stream, offset, bytes } of result.chunks) {
        // Plain comparisons: `expect` is slow, and there are thousands of chunks.
        const isRight =
          offset >= expected &&
          at(offset, bytes.length).equals(bytes) &&
          streams.slice(offset, offset + bytes.length).every((one) => one === stream);
        if (!isRight) expect({ stream, offset, bytes, expected }).toBe("the next bytes of its stream");
        expected = offset + bytes.length;
        read += bytes.length;
      }
      if (result.next <= from) expect(result.next).toBeGreaterThan(from);
      dropped += result.dropped;
      from = result.next;
    }
    expect(read + dropped).toBe(total);
    const totals = log.totals();
    expect(totals.dropped).toBe(dropped);
    expect(totals.total).toBe(total);
    expect(totals.stdout).toBe(streams.filter((one) => one === "stdout").length);
    // The end of each stream is always there.
    expect(read).toBeGreaterThanOrEqual(
      Math.min(ringBytes, totals.stdout) + Math.min(ringBytes, totals.stderr),
    );
    log.close(true);
  },
);

test("keeps short output in memory, and long output from its beginning on disk", () => {
  const spoolPath = join(folder(), "spool");
  const log = new OutputLog({ ringBytes: 1 << 20, spoolBytes: 1 << 20, spoolPath });
  log.append("stdout", at(0, 1000));
  expect(log.totals()).toMatchObject({ spooled: 0, dropped: 0 });
  log.append("stderr", at(1000, 100_000));
  expect(log.totals()).toMatchObject({ spooled: 101_000, spoolPath });
  expect(readFileSync(spoolPath).equals(at(0, 101_000))).toBe(true);
  log.close(true);
  expect(() => readFileSync(spoolPath)).toThrow("ENOENT");
});

test("keeps one stream during a flood on the other", () => {
  const log = new OutputLog({ ringBytes: 100, spoolBytes: 0, spoolPath: join(folder(), "spool") });
  log.append("stderr", Buffer.from("the reason"));
  for (let index = 0; index < 100; index++) log.append("stdout", at(index, 1000));
  const { chunks, dropped } = log.read(0, 1000);
  expect(chunks.map(({ stream, bytes }) => [stream, bytes.length])).toEqual([
    ["stderr", 10],
    ["stdout", 100],
  ]);
  expect(dropped).toBe(99_900);
});

test("shortens a spool that cannot be written", () => {
  const log = new OutputLog({ ringBytes: 10, spoolBytes: 1000, spoolPath: "/dev/null/no/such/place" });
  log.append("stdout", at(0, 100));
  log.append("stdout", at(100, 100));
  expect(log.totals()).toMatchObject({ total: 200, spooled: 0, dropped: 190 });
  expect(log.read(0, 1000)).toMatchObject({ next: 200, dropped: 190 });
});

test("ends only the spool if the disk is full", () => {
  // Every write to it fails with ENOSPC.
  const log = new OutputLog({ ringBytes: 10, spoolBytes: 1000, spoolPath: "/dev/full" });
  log.append("stdout", at(0, 100));
  expect(log.totals()).toMatchObject({ total: 100, spooled: 0, dropped: 90 });
});

test("reports a damaged spool as dropped output, not as an error", () => {
  const spoolPath = join(folder(), "spool");
  const log = new OutputLog({ ringBytes: 10, spoolBytes: 1000, spoolPath });
  log.append("stdout", at(0, 500));
  writeFileSync(spoolPath, "");
  expect(log.read(0, 1000)).toMatchObject({ next: 500, dropped: 490 });
  log.close(true);
});

test("limits and counts streams that alternate all the time", () => {
  const log = new OutputLog({ ringBytes: 1 << 20, spoolBytes: 0, spoolPath: join(folder(), "spool") });
  const changes = 80_000;
  for (let index = 0; index < changes; index++)
    log.append(index % 2 === 0 ? "stdout" : "stderr", at(index, 1));
  const { dropped } = log.totals();
  expect(dropped).toBeGreaterThan(0);
  let read = 0;
  for (let from = 0; from < changes;) {
    const result = log.read(from, 1 << 20);
    read += result.chunks.length;
    from = result.next;
  }
  expect(read).toBe(changes - dropped);
});
