import { describe, expect, test } from "vitest";
import { parseQuery } from "../../src/grep/query.ts";

/** Processor time of this thread, in milliseconds. */
function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_PATTERN" });
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const PARTS = [
  "(",
  "^(",
  "(^",
  "$(",
  "^",
  "{",
  "{1,",
  "[a-",
  "a-",
  "\\x{",
  "[[:",
  "(?<a",
  "\\",
  "\\\\-",
  "*",
  ")",
  "]",
];

describe("the translation of an expression takes bounded time", () => {
  test.each(PARTS)("for %s", (part) => {
    for (const count of [600, 2_000, 100_000]) {
      const patterns = [part.repeat(count), `[${part.repeat(count)}`, part.repeat(count) + ")".repeat(count)];
      // Some of these took minutes; on a busy machine the same work costs several times as much.
      for (const pattern of patterns) expect(cpuTime(() => parseQuery(pattern, {}))).toBeLessThan(15_000);
    }
  });

  test("searches a long text literally", () => {
    const text = "(".repeat(100_000);
    expect(parseQuery(text, { literal: true })).toEqual({ kind: "literal", text });
    expect(() => parseQuery(text, {})).toThrow(
      /has 100000 characters, and the limit for an expression is 5000/,
    );
  });
});
