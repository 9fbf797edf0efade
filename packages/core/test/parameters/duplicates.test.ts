import { fc, test as property } from "@fast-check/vitest";
import { Type } from "@sinclair/typebox";
import { describe, expect, it, test } from "vitest";
import type { AnyTool } from "../../src/contract/tool.ts";
import { isDuplicateMessage, isDuplicateToolCall } from "../../src/parameters/duplicates.ts";
import { getCode, makeTool, openSession } from "../support/kernel.ts";

describe("isDuplicateToolCall", () => {
  const previous = [
    { toolName: "read", args: { path: "a", limit: 1 } },
    { toolName: "write", args: { path: "a" } },
  ];

  test("finds the same call in any order of keys", () => {
    expect(isDuplicateToolCall("read", { limit: 1, path: "a" }, previous)).toBe(true);
  });

  test("distinguishes another tool, another value and one more key", () => {
    expect(isDuplicateToolCall("edit", { path: "a", limit: 1 }, previous)).toBe(false);
    expect(isDuplicateToolCall("read", { path: "a", limit: "1" }, previous)).toBe(false);
    expect(isDuplicateToolCall("write", { path: "a", content: "" }, previous)).toBe(false);
    expect(isDuplicateToolCall("read", {}, [])).toBe(false);
  });

  property.prop([
    fc.array(fc.record({ toolName: fc.constantFrom("a", "b"), args: fc.jsonValue() }), { minLength: 1 }),
  ])("finds every call in the list it is in", (calls) => {
    for (const { toolName, args } of calls) expect(isDuplicateToolCall(toolName, args, calls)).toBe(true);
  });
});

describe("isDuplicateToolCall and the kernel", () => {
  const send = (parts: Partial<AnyTool> = {}): AnyTool =>
    makeTool("send", {
      parameters: Type.Object(
        {
          to: Type.Optional(Type.String()),
          count: Type.Optional(Type.Number()),
          items: Type.Optional(Type.Array(Type.Object({ text: Type.String() }))),
          wait: Type.Optional(Type.Number()),
        },
        { additionalProperties: true },
      ),
      effects: ["message"],
      aliases: { to: ["recipient"], text: ["body"] },
      progress: { volatileArguments: ["wait"] },
      ...parts,
    });

  it.for<[string, unknown, unknown, boolean]>([
    ["other values", { to: "a" }, { to: "b" }, false],
    ["one member more", { to: "a" }, { to: "a", count: 1 }, false],
    ["null instead of nothing", { to: "a", x: null }, { to: "a" }, false],
    ["a text instead of a number, where any is right", { x: "1" }, { x: 1 }, false],
    ["another number", { count: 1 }, { count: 1.5 }, false],
    ["another order of a list", { x: [1, 2] }, { x: [2, 1] }, false],
    ["another order of keys", { to: "a", count: 1 }, { count: 1, to: "a" }, true],
    ["the same, further in", { x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }, true],
    ["members that are undefined", { to: "a", count: undefined }, { to: "a" }, true],
    ["numbers written in another way", { count: 100 }, '{"count":1e2}', true],
    ["zero with a sign", { count: 0 }, { count: -0 }, true],
    ["the JSON text", { to: "a", count: 1 }, '{ "count": 1, "to": "a" }', true],
    ["an alias", { to: "a" }, { recipient: "a" }, true],
    ["an alias further in", { items: [{ text: "a" }] }, '{"items":[{"body":"a"}]}', true],
    ["what repeats do not count", { to: "a", wait: 1 }, { to: "a", wait: 2 }, true],
    ["no arguments", {}, undefined, true],
  ])("agree about a call: %s", async ([_what, first, second, expected]) => {
    const tool = send();
    expect(isDuplicateToolCall("send", second, [{ toolName: "send", args: first }], tool)).toBe(expected);
    expect(isDuplicateToolCall("send", first, [{ toolName: "send", args: second }], tool)).toBe(expected);
    const session = await openSession({ tools: [tool] });
    await session.call({ name: "send", arguments: first });
    const again = await session.call({ name: "send", arguments: second });
    expect([again.kind, getCode(again)]).toEqual(expected ? ["blocked", "DUPLICATE_CALL"] : ["ok", "ok"]);
  });

  test("compare names and text as given without the tool", () => {
    const previous = [{ toolName: "send", args: { to: "a" } }];
    expect(isDuplicateToolCall("send", '{"to":"a"}', previous)).toBe(true);
    expect(isDuplicateToolCall("send", { recipient: "a" }, previous)).toBe(false);
    expect(isDuplicateToolCall("send", '{"to":"a"', previous)).toBe(false);
    expect(isDuplicateToolCall("send", "to a", [{ toolName: "send", args: "to a" }])).toBe(true);
  });

  test("compare refused arguments as received, also with an invalid schema", () => {
    const args = { count: { much: true } };
    expect(isDuplicateToolCall("send", args, [{ toolName: "send", args }], send())).toBe(true);
    const broken = send({ parameters: { type: "object", properties: [] } as never });
    expect(isDuplicateToolCall("send", args, [{ toolName: "send", args }], broken)).toBe(true);
    expect(isDuplicateToolCall("send", {}, [{ toolName: "send", args }], broken)).toBe(false);
  });
});

describe("isDuplicateMessage", () => {
  const sent = ["The build is green again 🎉", "Deployed version 2.4 to production."];

  test("ignores case, white space and emoji", () => {
    expect(isDuplicateMessage("the  build is GREEN\nagain", sent)).toBe(true);
    expect(isDuplicateMessage("The build is green again 👍🏽", sent)).toBe(true);
  });

  test("finds a text that contains most of another, and not a part of a longer text", () => {
    expect(isDuplicateMessage("Deployed version 2.4 to production. Done!", sent)).toBe(true);
    expect(isDuplicateMessage("production", sent)).toBe(false);
  });

  test("never finds short texts", () => {
    expect(isDuplicateMessage("ok", ["ok"])).toBe(false);
    expect(isDuplicateMessage("👍👍👍👍👍👍👍👍", ["👍👍👍👍👍👍👍👍"])).toBe(false);
  });

  test("finds no duplicate if nothing was sent", () => {
    expect(isDuplicateMessage("The build is green again", [])).toBe(false);
  });

  property.prop([fc.string({ minLength: 10 })])(
    "a text of ten visible characters is its own duplicate",
    (value) => {
      fc.pre(value.replace(/\s+/g, " ").trim().length >= 10 && !/\p{Extended_Pictographic}/u.test(value));
      expect(isDuplicateMessage(value, [value])).toBe(true);
    },
  );
});
