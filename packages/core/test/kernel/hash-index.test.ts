import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { HashIndex } from "../../src/kernel/hash-index.ts";

interface Item {
  text: string;
}

const indexOf = (most?: number) => new HashIndex<Item>(({ text }) => text, most);

function filled(texts: Iterable<string>): { index: HashIndex<Item>; asked: () => number } {
  let asked = 0;
  const index = new HashIndex<Item>(({ text }) => {
    asked++;
    return text;
  });
  for (const text of texts) index.add({ text });
  return { index, asked: () => asked };
}

// Few texts, so that they come back; some as long as only a digest is, with NULs, halves of pairs, and beyond Latin.
const texts = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((number) => `id_${number}`),
  fc.constantFrom(
    "",
    "\0",
    "\0\0",
    "a",
    "a\0",
    "\ud800",
    "\udfff",
    "ä",
    "\u8000",
    "x".repeat(513),
    "y".repeat(9000),
  ),
);

property.prop([fc.integer({ min: 1, max: 70 }), fc.array(texts, { maxLength: 400 })])(
  "finds what a list of the latest finds, whatever was forgotten in between",
  (most, sequence) => {
    const index = indexOf(most);
    const list: Item[] = [];
    for (const text of sequence) {
      const known = list.find((item) => item.text === text);
      expect(index.get(text)).toBe(known);
      if (known !== undefined) continue;
      const item = { text };
      index.add(item);
      if (list.push(item) > most) expect(index.get(list.shift()!.text)).toBeUndefined();
    }
    for (const item of list) expect(index.get(item.text)).toBe(item);
    expect(index.values.toSorted(byText)).toEqual(list.toSorted(byText));
  },
);

function byText(a: Item, b: Item): number {
  return a.text < b.text ? -1 : 1;
}

test("keeps all values in order without a limit, through many sizes", () => {
  const all = Array.from({ length: 5_000 }, (_, number) => `call ${number}`);
  const { index } = filled(all);
  expect(index.values.map(({ text }) => text)).toEqual(all);
  expect(all.map((text) => index.get(text))).toEqual(index.values);
  expect(index.get("call 5000")).toBeUndefined();
});

describe("texts made to collide", () => {
  const bits = Array.from({ length: 4096 }, (_, number) => number.toString(2).padStart(12, "0"));
  const made: Readonly<Record<string, readonly string[]>> = {
    "where characters are added up with powers of 31": bits.map((one) =>
      one.replaceAll("0", "Aa").replaceAll("1", "BB"),
    ),
    "where only the lower bits count": bits.map((one) =>
      one.replaceAll("0", "\u0000").replaceAll("1", "\u8000"),
    ),
    "where zeros are not counted": Array.from({ length: 500 }, (_, length) => "\0".repeat(length)),
    "where the order does not count": Array.from(
      { length: 500 },
      (_, at) => `${"a".repeat(at)}b${"a".repeat(499 - at)}`,
    ),
  };

  test.each(Object.entries(made))("do not collide %s", (_name, all) => {
    const { index, asked } = filled(all);
    const before = asked();
    expect(all.map((text) => index.get(text))).toEqual(index.values);
    // The text itself is asked for where the hash is equal: once for the one that is found, and seldom for another. With
    // 17 bits of a hash that count, as where only lower bits differ, a few hundred in 4,096 are met by chance.
    expect(asked() - before).toBeLessThan(all.length * 2);
  });
});
