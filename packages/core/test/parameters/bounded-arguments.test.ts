import { describe, expect, it } from "vitest";
import { ownRequest } from "../../src/kernel/stages/own-request.ts";
import { parseArgumentText } from "../../src/parameters/argument-text.ts";
import { callIdentity } from "../../src/parameters/duplicates.ts";
import { exceededBound, MOST_DEPTH, MOST_VALUES } from "../../src/parameters/schema/json-bounds.ts";

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]));
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("the bounds of a call's arguments", () => {
  it("are found in a text before it is parsed", () => {
    expect(exceededBound(nested(MOST_DEPTH))).toBeUndefined();
    expect(exceededBound(nested(MOST_DEPTH + 1))).toBe("depth");
    expect(exceededBound(`[${"1,".repeat(MOST_VALUES - 2)}1]`)).toBeUndefined();
    expect(exceededBound(`[${"1,".repeat(MOST_VALUES)}1]`)).toBe("values");
    expect(exceededBound(JSON.stringify(keys(MOST_VALUES / 2 + 1)))).toBe("values");
  });

  it("do not count what stands in strings", () => {
    const text = JSON.stringify({ content: `{[,:"\\`.repeat(MOST_VALUES), 'k"{': "[\\\\" });
    expect(exceededBound(text)).toBeUndefined();
    expect(parseArgumentText(text).value).toEqual(JSON.parse(text));
    expect(exceededBound('{"a":"unfinished')).toBeUndefined();
  });

  it("refuse many keys, many items and deep nesting, as text, as text within a text and as an object", () => {
    const many = keys(MOST_VALUES);
    const deep = nested(50_000);
    for (const text of [
      JSON.stringify(many),
      deep,
      JSON.stringify(JSON.stringify(many)),
      JSON.stringify(deep),
    ])
      expect(codeOf(() => parseArgumentText(text))).toBe("ARGUMENTS_TOO_LARGE");
    for (const args of [many, { edits: Array.from({ length: MOST_VALUES }, () => 1) }]) {
      const { problem } = ownRequest({ name: "edit", arguments: args });
      expect(problem).toMatchObject({ code: "ARGUMENTS_TOO_LARGE", details: { limit: MOST_VALUES } });
    }
  });

  it("hold where calls are compared: a text beyond them is not parsed", () => {
    const text = JSON.stringify(keys(MOST_VALUES));
    expect(callIdentity("edit", text)).toBe(callIdentity("edit", text));
    expect(callIdentity("edit", text)).not.toBe(callIdentity("edit", `${text} `));
    expect(() => callIdentity("edit", nested(50_000))).not.toThrow();
  });
});
