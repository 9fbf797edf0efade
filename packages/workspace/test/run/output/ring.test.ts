import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { Ring } from "../../../src/run/output/ring.ts";

const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 });

property.prop([fc.integer({ min: 0, max: 64 }), pieces])("stores exactly the last bytes", (limit, parts) => {
  const ring = new Ring(limit);
  let all = Buffer.alloc(0);
  for (const part of parts) {
    ring.push(part);
    all = Buffer.concat([all, part]);
    expect(ring.start).toBe(Math.max(0, all.length - limit));
    expect(ring.copy(ring.start, all.length)).toEqual(all.subarray(ring.start));
  }
});

property.prop([pieces, fc.nat(2000), fc.nat(2000)])("copies any stored range", (parts, a, b) => {
  const ring = new Ring(5000);
  const all = Buffer.concat(parts);
  for (const part of parts) ring.push(part);
  const [from, to] = [Math.min(a, b, all.length), Math.min(Math.max(a, b), all.length)];
  expect(ring.copy(from, to)).toEqual(all.subarray(from, to));
});

test("grows beyond its first capacity", () => {
  const ring = new Ring(10_000);
  const all = Buffer.from(Array.from({ length: 30_000 }, (_, index) => index % 251));
  for (let at = 0; at < all.length; at += 701) ring.push(all.subarray(at, at + 701));
  expect(ring.start).toBe(20_000);
  expect(ring.copy(20_000, 30_000)).toEqual(all.subarray(20_000));
});

test("rejects ranges outside of its content", () => {
  const ring = new Ring(4);
  ring.push(Buffer.from("abcdef"));
  expect(() => ring.copy(1, 3)).toThrow(RangeError);
  expect(() => ring.copy(4, 7)).toThrow(RangeError);
});
