import { fc, test as property } from "@fast-check/vitest";
import { sha256 } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { copyArguments } from "../../src/parameters/copy-json.ts";
import { callKey, canonicalText } from "../../src/parameters/digest.ts";

/** The same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries.toReversed());
}

const json = fc.jsonValue({ maxDepth: 4, stringUnit: codePoint });
/** JSON has one zero: `-0` cannot be told from `0` once it was written down. */
const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("callKey", () => {
  property.prop([json])("does not depend on the order of keys", (value) => {
    expect(callKey("t", reversed(value))).toBe(callKey("t", value));
  });

  property.prop([json, json])("is equal exactly for equal values", (one, other) => {
    expect(callKey("t", one) === callKey("t", other)).toBe(isDeepStrictEqual(normal(one), normal(other)));
  });

  property.prop([
    fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(0, "0", null, [], {}, "")),
    fc.nat(4),
  ])("tells near misses apart", (value, index) => {
    const replacement = [0, "0", null, [[]], { a: {} }][index];
    const other = { ...value, a: replacement };
    expect(callKey("t", value) === callKey("t", other)).toBe(isDeepStrictEqual({ ...value }, other));
  });

  test("differs for different tool names", () => {
    expect(callKey("read", {})).not.toBe(callKey("write", {}));
  });

  test("stays short for any arguments", () => {
    expect(callKey("write", { content: "x".repeat(1_000_000) }).length).toBeLessThan(300);
    expect(
      callKey(
        "write",
        Array.from({ length: 10_000 }, (_, i) => i),
      ).length,
    ).toBeLessThan(300);
  });

  test("leaves out volatile names at the top only", () => {
    const skip = new Set(["wait"]);
    expect(callKey("poll", { id: 1, wait: 5 }, skip)).toBe(callKey("poll", { wait: 9, id: 1 }, skip));
    expect(callKey("poll", { id: { wait: 5 } }, skip)).not.toBe(callKey("poll", { id: { wait: 9 } }, skip));
  });

  test("distinguishes long strings that differ in one character or half a surrogate pair", () => {
    const long = "x".repeat(600);
    expect(callKey("t", `${long}a`)).not.toBe(callKey("t", `${long}b`));
    expect(callKey("t", `${long}\ud800`)).not.toBe(callKey("t", `${long}\ud801`));
  });

  test("distinguishes a digest and the string that looks like it", () => {
    const long = "x".repeat(600);
    expect(canonicalText(long)).not.toBe(canonicalText(`s600:${sha256(long, "base64url")}`));
  });

  test("treats a missing and an undefined key alike, as JSON does", () => {
    expect(callKey("t", { a: 1, b: undefined })).toBe(callKey("t", { a: 1 }));
  });

  test("makes values beyond the depth limit unequal to all others", () => {
    const deep = (leaf: number) => JSON.parse(`${"[".repeat(300)}${leaf}${"]".repeat(300)}`) as unknown;
    expect(callKey("t", deep(1))).not.toBe(callKey("t", deep(2)));
    expect(callKey("t", deep(1))).not.toBe(callKey("t", deep(1)));
  });

  test("accepts values that are not JSON", () => {
    for (const value of [undefined, 1n, NaN, Symbol("s"), () => 1])
      expect(callKey("t", value)).toContain("t ");
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(callKey("t", circle)).toContain("t ");
  });
});

test("copies a value completely and independently", () => {
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

test.each(["text", 0, null, undefined, true])("returns %j itself", (value) => {
  expect(copyArguments(value)).toBe(value);
});
