import { describe, expect, test } from "vitest";
import { checkValue } from "../../src/parameters/check-options.ts";

const RULE = {
  type: "object",
  properties: { tool: { type: "string" }, effect: { enum: ["allow", "deny"] } },
  required: ["tool"],
  additionalProperties: false,
};
const DOCUMENT = { type: "object", properties: { rules: { type: "array", items: RULE } } };

describe("what is wrong with a document", () => {
  test("is told with the way to each place", () => {
    const document = { rules: [{ effect: "alow" }, { tool: "write", efect: "deny" }, 5] };
    expect(checkValue(DOCUMENT, document)).toEqual([
      {
        kind: "wrong",
        path: ["rules", 0, "effect"],
        expected: 'one of "allow", "deny"',
        received: 'string "alow"',
        known: ["allow", "deny"],
        near: ["allow"],
      },
      {
        kind: "missing",
        path: ["rules", 0, "tool"],
        expected: "string",
        received: "nothing",
        known: [],
        near: [],
      },
      {
        kind: "unknown",
        path: ["rules", 1, "efect"],
        expected: "no such parameter",
        received: 'string "deny"',
        known: ["tool", "effect"],
        near: ["effect"],
      },
      { kind: "wrong", path: ["rules", 2], expected: "object", received: "number 5", known: [], near: [] },
    ]);
  });

  test("is ten things, or as many as are asked for", () => {
    const document = { rules: Array.from({ length: 50 }, () => 5) };
    expect(checkValue(DOCUMENT, document)).toHaveLength(10);
    expect(checkValue(DOCUMENT, document, 3)).toHaveLength(3);
    expect(checkValue(DOCUMENT, document, 100)).toHaveLength(50);
  });

  test("is nothing where it fits", () => {
    expect(checkValue(DOCUMENT, { rules: [{ tool: "read" }] })).toEqual([]);
  });
});
