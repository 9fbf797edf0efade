import { fc, test as property } from "@fast-check/vitest";
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { type Frame, readFrames, writeFrame } from "../../src/wire/frames.ts";

const frames = fc.array(
  fc.record({ text: fc.string({ unit: "grapheme" }), body: fc.uint8Array({ maxLength: 300 }) }),
  {
    maxLength: 10,
  },
);

property.prop([frames, fc.integer({ min: 1, max: 50 })])(
  "reads whole frames from a stream in any pieces",
  (sent, size) => {
    const bytes = encoded(sent.map(({ text, body }) => ({ head: { text }, body })));
    const received: Frame[] = [];
    let ended = 0;
    const stream = new PassThrough();
    readFrames(
      stream,
      (frame) => received.push(frame),
      () => ended++,
    );
    for (let at = 0; at < bytes.length; at += size) stream.emit("data", bytes.subarray(at, at + size));
    stream.emit("end");
    stream.emit("close");
    expect(received.map(({ head }) => head)).toEqual(sent.map(({ text }) => ({ text })));
    expect(received.map(({ body }) => [...body])).toEqual(sent.map(({ body }) => [...body]));
    expect(ended).toBe(1);
  },
);

test("gives up a stream of another protocol without waiting", () => {
  const ends: (Error | undefined)[] = [];
  const stream = new PassThrough();
  readFrames(
    stream,
    () => {},
    (broken) => ends.push(broken),
  );
  stream.emit("data", Buffer.from("Welcome to some shell that prints things\n"));
  expect(ends).toHaveLength(1);
  expect(ends[0]).toBeInstanceOf(Error);
  expect(stream.destroyed).toBe(true);
});

test("reports a stream that ends within a frame", () => {
  const ends: (Error | undefined)[] = [];
  const stream = new PassThrough();
  readFrames(
    stream,
    () => {},
    (broken) => ends.push(broken),
  );
  stream.emit("data", encoded([{ head: {}, body: Buffer.alloc(100) }]).subarray(0, 50));
  stream.emit("end");
  expect(ends[0]?.message).toContain("within a frame");
});

function encoded(all: Frame[]): Buffer {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(bytes: Buffer, _encoding, done) {
      parts.push(bytes);
      done();
    },
  });
  for (const { head, body } of all) writeFrame(stream, head, body.length === 0 ? [] : [body]);
  return Buffer.concat(parts);
}
