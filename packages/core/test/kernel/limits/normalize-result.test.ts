import { describe, expect, it } from "vitest";
import { normalizeResult } from "../../../src/kernel/limits/limits.ts";

const PNG = "iVBORw0KGgo=";

describe("an invalid result", () => {
  it.each<[string, unknown, string]>([
    ["undefined", undefined, "it returned undefined"],
    ["null", null, "it returned null"],
    ["a number", 5, "it returned a value of type number"],
    ["true", true, "it returned a value of type boolean"],
    ["an empty object", {}, "its content is undefined"],
    ["a status", { status: "ok" }, "its content is undefined"],
    ["content that is text", { content: "done", details: {} }, "its content is a value of type string"],
    ["a block that is null", { content: [null] }, "content[0] is null"],
    ["a block of another type", { content: [{ type: "resource" }] }, 'content[0] has the type "resource"'],
    ["a text block without text", { content: [{ type: "text" }] }, "whose text is undefined"],
    ["an image without a type", { content: [{ type: "image", data: PNG }] }, "without an image type"],
    [
      "invalid image data",
      { content: [{ type: "image", data: PNG, mimeType: "text/html" }] },
      "without an image type",
    ],
    [
      "an image without data",
      { content: [{ type: "image", data: "", mimeType: "image/png" }] },
      "not base64",
    ],
    [
      "an image of bytes",
      { content: [{ type: "image", data: Buffer.from("x"), mimeType: "image/png" }] },
      "not base64",
    ],
  ])("fails with RESULT_INVALID and the name of the tool: %s", (_, value, problem) => {
    expect(() => normalizeResult(value, "weather")).toThrow(
      expect.objectContaining({
        code: "RESULT_INVALID",
        receipt: "unknown",
        message: expect.stringMatching(/^The result of weather is malformed: /),
      }),
    );
    expect(() => normalizeResult(value, "weather")).toThrow(problem);
  });
});

describe("a result with isError", () => {
  it.each([
    ["its text", [{ type: "text", text: "no such city" }], "no such city"],
    ["its texts", ["one", "two"], "one\n\ntwo"],
    ["the name of the tool, without a text", [], "weather failed without a text."],
  ])("fails with %s", (_, content, message) => {
    expect(() => normalizeResult({ content, details: {}, isError: true }, "weather")).toThrow(
      // The model reads the fix.
      expect.objectContaining({ code: "TOOL_FAILED", message, fix: expect.not.stringMatching(/author/i) }),
    );
  });

  it("is a result if the value is false", () => {
    const content = [{ type: "text", text: "sunny" }];
    expect(normalizeResult({ content, details: {}, isError: false }, "weather")).toEqual({
      content,
      details: {},
    });
  });
});

describe("an unambiguous result", () => {
  const textOf = (value: string): unknown => [{ type: "text", text: value }];
  it.each<[string, unknown, unknown]>([
    ["a string", "done", { content: textOf("done"), details: {} }],
    ["an empty string", "", { content: textOf("(no output)"), details: {} }],
    ["no blocks", { content: [] }, { content: textOf("(no output)"), details: {} }],
    ["strings for blocks", { content: ["a"] }, { content: textOf("a"), details: {} }],
    [
      "details that are a list",
      { content: textOf("a"), details: [1] },
      { content: textOf("a"), details: { value: [1] } },
    ],
    [
      "a receipt",
      { content: [], receipt: "committed" },
      { content: textOf("(no output)"), details: {}, receipt: "committed" },
    ],
    [
      "a receipt of another kind",
      { content: textOf("a"), receipt: "maybe" },
      { content: textOf("a"), details: {} },
    ],
    ["lone surrogates", "a\ud800b", { content: textOf("a\ufffdb"), details: {} }],
    [
      "a data URL",
      { content: [{ type: "image", data: `data:image/png;base64,${PNG}`, mimeType: "image/png" }] },
      { content: [{ type: "image", data: PNG, mimeType: "image/png" }], details: {} },
    ],
    [
      "a language of another kind",
      { content: [{ type: "text", text: "a", language: 5 }] },
      { content: textOf("a"), details: {} },
    ],
  ])("is accepted: %s", (_, value, result) => {
    expect(normalizeResult(value, "weather")).toEqual(result);
  });

  it("is returned unchanged if it is valid", () => {
    const result = {
      content: [
        { type: "text", text: "a" },
        { type: "image", data: PNG, mimeType: "image/png" },
      ],
      details: { a: 1 },
    };
    expect(normalizeResult(result, "weather")).toBe(result);
  });
});
