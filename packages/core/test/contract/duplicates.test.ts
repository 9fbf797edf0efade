import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { isDuplicateMessage, isDuplicateToolCall } from "../../src/contract/duplicates.ts";

describe("isDuplicateToolCall", () => {
  const previous = [
    { toolName: "read", args: { path: "a", limit: 1 } },
    { toolName: "write", args: { path: "a" } },
  ];

  test("finds the same call whatever the order of its keys", () => {
    expect(isDuplicateToolCall("read", { limit: 1, path: "a" }, previous)).toBe(true);
  });

  test("another tool, another value and one key more are other calls", () => {
    expect(isDuplicateToolCall("edit", { path: "a", limit: 1 }, previous)).toBe(false);
    expect(isDuplicateToolCall("read", { path: "a", limit: "1" }, previous)).toBe(false);
    expect(isDuplicateToolCall("write", { path: "a", content: "" }, previous)).toBe(false);
    expect(isDuplicateToolCall("read", {}, [])).toBe(false);
  });

  test.prop([
    fc.array(fc.record({ toolName: fc.constantFrom("a", "b"), args: fc.jsonValue() }), { minLength: 1 }),
  ])("finds every call in the list it is in", (calls) => {
    for (const { toolName, args } of calls) expect(isDuplicateToolCall(toolName, args, calls)).toBe(true);
  });
});

describe("isDuplicateMessage", () => {
  const sent = ["The build is green again 🎉", "Deployed version 2.4 to production."];

  test("case, white space and emoji do not count", () => {
    expect(isDuplicateMessage("the  build is GREEN\nagain", sent)).toBe(true);
    expect(isDuplicateMessage("The build is green again 👍🏽", sent)).toBe(true);
  });

  test("a text that contains most of another is a duplicate, a part of a longer one is not", () => {
    expect(isDuplicateMessage("Deployed version 2.4 to production. Done!", sent)).toBe(true);
    expect(isDuplicateMessage("production", sent)).toBe(false);
  });

  test("short texts are never duplicates", () => {
    expect(isDuplicateMessage("ok", ["ok"])).toBe(false);
    expect(isDuplicateMessage("👍👍👍👍👍👍👍👍", ["👍👍👍👍👍👍👍👍"])).toBe(false);
  });

  test("nothing was sent, nothing is a duplicate", () => {
    expect(isDuplicateMessage("The build is green again", [])).toBe(false);
  });

  test.prop([fc.string({ minLength: 10 })])(
    "a text of ten visible characters is its own duplicate",
    (value) => {
      fc.pre(value.replace(/\s+/g, " ").trim().length >= 10 && !/\p{Extended_Pictographic}/u.test(value));
      expect(isDuplicateMessage(value, [value])).toBe(true);
    },
  );
});
