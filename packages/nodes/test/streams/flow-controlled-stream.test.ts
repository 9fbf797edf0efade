import { fc, test } from "@fast-check/vitest";
import { createHash, randomBytes } from "node:crypto";
import { expect, onTestFinished, test as plain } from "vitest";
import { type StreamSegment, FlowControlledStream } from "../../src/link/streams/flow-controlled-stream.ts";
import { type Fate, createFateGenerator } from "../support/fates.ts";

const MIB = 1024 * 1024;

/** Two ends, and what becomes of the messages between them. */
function ends(fateOf: () => Fate = () => "comes", checkMs = 10_000) {
  const wrong: string[] = [];
  let onTheWay = 0;
  let most = 0;
  const way = (to: () => FlowControlledStream) => (piece: StreamSegment, body: Uint8Array) => {
    const message = Buffer.from(body);
    const deliver = () => {
      const what = to().receive(piece, message);
      if (what !== undefined) wrong.push(what);
    };
    onTheWay += message.length;
    most = Math.max(most, onTheWay);
    const fate = fateOf();
    setImmediate(() => {
      onTheWay -= message.length;
      if (fate !== "is lost" && fate !== "comes late") deliver();
      if (fate === "comes twice") setImmediate(deliver);
      if (fate === "comes late") setTimeout(deliver, 5);
    });
  };
  const one: FlowControlledStream = new FlowControlledStream(
    way(() => other),
    64 * 1024,
  );
  const other: FlowControlledStream = new FlowControlledStream(
    way(() => one),
    64 * 1024,
  );
  // As its owner does, who has not heard anything for a while.
  const checking = setInterval(() => {
    one.acknowledge(true);
    other.acknowledge(true);
  }, checkMs);
  onTestFinished(() => clearInterval(checking));
  return { one, other, wrong, mostOnTheWay: () => most };
}

async function hashOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of stream) hash.update(bytes as Buffer);
  return hash.digest("hex");
}

const sizes = fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 30 });

test.prop([fc.integer(), fc.integer({ min: 0, max: 40 }), sizes], { numRuns: 20 })(
  "delivers all bytes once and in order in both directions despite losses, duplicates and delays",
  async (seed, percent, lengths) => {
    const { one, other, wrong } = ends(createFateGenerator(seed, percent), 20);
    const chunks = lengths.map((length) => randomBytes(length));
    const all = createHash("sha256").update(Buffer.concat(chunks)).digest("hex");
    const hashes = [hashOf(one), hashOf(other)];
    for (const chunk of chunks) {
      one.write(chunk);
      other.write(chunk);
    }
    one.end();
    other.end();
    expect(await Promise.all(hashes)).toEqual([all, all]);
    expect(wrong).toEqual([]);
  },
);

plain("a paused reader gets no more than its window, and the writer waits", async () => {
  const { one, other, mostOnTheWay } = ends();
  const chunk = randomBytes(256 * 1024);
  const written = createHash("sha256");
  let count = 0;
  const writing = (async () => {
    for (; count < 64; count++) {
      written.update(chunk);
      if (!one.write(chunk)) await new Promise((resolve) => one.once("drain", resolve));
    }
    one.end();
  })();
  // Long after it could all have been sent.
  for (let turn = 0; turn < 2_000; turn++) await new Promise(setImmediate);
  expect(other.readableLength).toBeLessThanOrEqual(2 * MIB);
  expect(count * chunk.length).toBeLessThan(6 * MIB);
  const hashes = await hashOf(other);
  await writing;
  expect(hashes).toBe(written.digest("hex"));
  expect(mostOnTheWay()).toBeLessThanOrEqual(2 * MIB + 64 * 1024);
});

plain.each<[string, Partial<StreamSegment>, number, string]>([
  ["negative offsets", { from: -1 }, 0, "its offsets are not valid numbers"],
  ["a fractional offset", { from: 0.5 }, 0, "its offsets are not valid numbers"],
  ["an acknowledgement of unsent bytes", { have: 4 }, 0, "it acknowledges bytes that were never sent"],
  ["more bytes than granted", { from: 2 * MIB }, 1, "it sends more than was granted"],
  ["bytes after its end", { from: 0 }, 1, "it continues after its end"],
])("rejects %s", (name, piece, length, wrong) => {
  const end = new FlowControlledStream(() => undefined, 64 * 1024);
  onTestFinished(() => void end.destroy());
  end.resume().write("abc");
  if (name.startsWith("bytes")) end.receive({ from: 0, end: true, have: 0, until: 0 }, Buffer.alloc(0));
  expect(end.receive({ from: 0, have: 0, until: 0, ...piece }, Buffer.alloc(length))).toBe(wrong);
});
