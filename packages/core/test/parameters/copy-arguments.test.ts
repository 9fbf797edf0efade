import { expect, test } from "vitest";
import { copyArguments } from "../../src/parameters/copy-json.ts";

test("a copy is the same to the last member, and its own", () => {
  const text = '{"a":[{"b":["c",1,null,true]},[]],"__proto__":{"d":[2]},"constructor":{"prototype":"e"}}';
  const given = JSON.parse(text) as { a: [{ b: string[] }] };
  const copy = copyArguments(given);
  expect(JSON.stringify(copy)).toBe(text);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  copy.a[0].b.push("spoiled");
  const inside = Object.getOwnPropertyDescriptor(copy, "__proto__")!.value as { d: unknown };
  inside.d = "spoiled";
  expect(JSON.stringify(given)).toBe(text);
});

test.each(["text", 0, null, undefined, true])("%j is itself", (value) => {
  expect(copyArguments(value)).toBe(value);
});
