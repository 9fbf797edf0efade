import { fc, test as property } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { boundedPattern, NEEDS_WATCH } from "../../../src/parameters/schema/bounded-pattern.ts";
import { compileValidator } from "../../../src/parameters/schema/validator.ts";

const now = performance.now.bind(performance);
let later = 0;

// What all checks of a process may take together comes back with the time.
const hasTime = (milliseconds: number) => beforeEach(() => void (later += milliseconds));
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => now() + later);
});
afterEach(() => vi.restoreAllMocks());

const forEver = `${"a".repeat(64)}!`;
const SLOW = [
  "^(a+)+$",
  "^(a|aa)+$",
  "^(\\w+\\s?)*$",
  "(x+x+)+y|^(a+)+$",
  "^(?:a|a)(?:a|a)*(?:a|a)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
];

describe("a pattern that takes forever", () => {
  hasTime(1_000);

  test.for(SLOW)("ends the check with a reason: %s", (pattern) => {
    const validator = compileValidator({ type: "object", properties: { a: { type: "string", pattern } } });
    // That it ends is the test: how soon depends on the machine, and at the latest with the time of a test.
    const [issue] = validator.errors({ a: forEver });
    expect(issue).toMatchObject({ kind: "wrong", path: "" });
    expect(issue!.message).toMatch(/must be a value that its patterns can check in time/);
    expect(validator.check({ a: "" })).toBe(pattern.includes("*$") && !pattern.startsWith("^(?:"));
  });

  test("ends in a list of two thousand texts", () => {
    const list = compileValidator({ type: "array", items: { type: "string", pattern: "^(a+)+$" } });
    expect(list.check(Array.from({ length: 2000 }, () => forEver))).toBe(false);
  });

  test("ends for names of members, of arguments and of the schema", () => {
    const schema = {
      type: "object",
      patternProperties: { "^(a+)+$": { type: "string" } },
      additionalProperties: false,
    };
    expect(compileValidator(schema).check({ [forEver]: "x" })).toBe(false);
    expect(() => compileValidator({ ...schema, properties: { [forEver]: {} } })).not.toThrow();
  });

  test("soon uses up the shared time of many calls", () => {
    const validator = compileValidator({ type: "string", pattern: "^(a+)+$" });
    for (let call = 0; call < 200; call++) expect(validator.check(forEver)).toBe(false);
  });
});

describe("a slow pattern that ends", () => {
  hasTime(60_000);
  const email = "^(?:[a-z0-9_+-]+\\.)*[a-z0-9_+-]+@(?:[a-z0-9-]+\\.)+[a-z]{2,}$";

  test("checks a thousand addresses with the pattern of a library", () => {
    const list = compileValidator({ type: "array", items: { type: "string", pattern: email } });
    const items = Array.from({ length: 1_000 }, (_, index) => `some.body.${index}@mail.example.com`);
    expect(list.check(items)).toBe(true);
    expect(list.errors([...items, "nobody"])).toMatchObject([
      { path: "[1000]", received: 'string "nobody"' },
    ]);
  });

  test("reports the location of an issue after a restart", () => {
    const validator = compileValidator({
      type: "object",
      properties: {
        n: { type: "number" },
        list: { type: "array", items: { type: "string", pattern: email } },
      },
    });
    expect(validator.errors({ n: "x", list: ["some.body@mail.example.com", "nobody.at.all"] })).toMatchObject(
      [{ path: "n" }, { path: "list[1]" }],
    );
  });

  test("checks a long text that it reads once", () => {
    expect(boundedPattern(/^[a-z]+$/u).test("a".repeat(1_000_000))).toBe(true);
    expect(boundedPattern(/^(?:red|green|blue|cyan)$/u).test("green")).toBe(true);
    expect(() => boundedPattern(/[a-z]+x/u).test("a".repeat(10_000))).toThrow(NEEDS_WATCH);
  });
});

property.prop([
  fc.constantFrom(
    "^[ab]*$",
    "^(?:a|b)+$",
    "a?b?a?",
    "(a+b)+",
    "^(a)\\1$",
    "^.{2,5}b",
    "a|b|",
    "\\d+-\\d+",
    "[)(|]+",
  ),
  fc.string({ unit: fc.constantFrom("a", "b", "-", "1", ")", "|"), maxLength: 40 }),
])("a validator says of a text what the pattern says", (pattern, text) => {
  expect(compileValidator({ type: "string", pattern }).check(text)).toBe(new RegExp(pattern, "u").test(text));
});
