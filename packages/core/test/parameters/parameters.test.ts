import { fc, test } from "@fast-check/vitest";
import { Type } from "@sinclair/typebox";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { getCompiledSpec, type ParameterizedTool } from "../../src/parameters/compiled-spec.ts";
import { prepareArguments } from "../../src/parameters/prepare-parameters.ts";

const edit: ParameterizedTool = {
  name: "edit",
  aliases: {
    path: ["file_path", "filePath", "file"],
    oldText: ["old_string", "old_text"],
    newText: ["new_string"],
  },
  parameters: Type.Object({
    path: Type.String(),
    edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    all: Type.Optional(Type.Boolean()),
  }),
};

const write: ParameterizedTool = {
  name: "write",
  aliases: { path: ["file_path", "file"] },
  parameters: Type.Object({
    path: Type.String(),
    content: Type.String(),
    mode: Type.Optional(Type.Integer()),
    tags: Type.Optional(Type.Array(Type.String())),
  }),
};

const open: ParameterizedTool = {
  name: "open",
  aliases: { path: ["file"] },
  parameters: Type.Object({ path: Type.Optional(Type.String()) }, { additionalProperties: true }),
};

function accepted(tool: ParameterizedTool, raw: unknown): unknown {
  const prepared = prepareArguments(tool, raw);
  if (!prepared.ok) throw prepared.error;
  return prepared.args;
}

function refused(tool: ParameterizedTool, raw: unknown): string {
  const prepared = prepareArguments(tool, raw);
  if (prepared.ok) throw new Error(`accepted: ${JSON.stringify(prepared.args)}`);
  return `${prepared.error.code} ${prepared.error.message} ${prepared.error.fix}`;
}

describe("refused arguments", () => {
  it("have an error with missing canonical names and received names", () => {
    expect(refused(write, { content: "", mode: 5 })).toBe(
      "INVALID_ARGUMENTS Invalid arguments for write: missing path (string) " +
        "(received: content=<empty string>, mode=5). " +
        "Supply correct parameters: path (string), content (string), mode (integer, optional), tags (array of string, optional).",
    );
  });

  it("have an error with the nearest parameter for an unknown name", () => {
    expect(refused(write, { path: "a", content: "b", contnt: "c" })).toContain(
      "unknown parameter contnt (did you mean content?)",
    );
  });

  it.each<[string, unknown, string]>([
    ["an array", [1], "received array of 1"],
    ["a number", 5, "received number 5"],
    ["a word", '"hello"', 'received string "hello"'],
    ["a JSON array", "[]", "received empty array"],
    ["a class instance", new Map(), "received object that is not plain JSON"],
    ["a function", () => 1, "received function"],
  ])("include other values: %s", (_, raw, received) => {
    expect(refused(write, raw)).toMatch(/^INVALID_ARGUMENTS /);
    expect(refused(write, raw)).toContain(received);
  });

  it("include invalid JSON, whose text is kept", () => {
    const prepared = prepareArguments(write, '{"path":');
    expect(prepared).toMatchObject({
      ok: false,
      rawText: '{"path":',
      error: { code: "INVALID_ARGUMENTS" },
    });
  });

  it("include two values for one parameter under two names", () => {
    expect(refused(write, { path: "a", file: "b", content: "" })).toContain(
      "path and file are the same parameter, with different values",
    );
    expect(refused(write, { file_path: "a", file: "b", content: "" })).toContain(
      "file_path and file are the same parameter",
    );
    expect(refused(edit, { path: "a", edits: [{ old_string: "x", oldText: "y", newText: "" }] })).toContain(
      "old_string and oldText are the same parameter",
    );
  });

  it.each<[string, unknown]>([
    ["a number where a string is asked for: 007 and 1.10 are lost already", { path: 7, content: "" }],
    [
      "several text blocks for one string: how they join is a guess",
      {
        path: "a",
        content: [
          { type: "text", text: "x" },
          { type: "text", text: "y" },
        ],
      },
    ],
    ["a text block with more in it", { path: "a", content: { text: "x", bold: true } }],
    ["a string that is only almost a number", { path: "a", content: "", mode: "5px" }],
    ["a whole number with digits beyond precision", { path: "a", content: "", mode: "12345678901234567890" }],
    ["null for a required parameter", { path: null, content: "" }],
    ["a bare string for an array", { path: "a", content: "", tags: "x, y" }],
    ["wrappers with company", { arguments: { path: "a", content: "" }, id: 1 }],
    ["wrappers in wrappers", { arguments: { input: { path: "a", content: "" } } }],
  ])("are not repaired: %s", (_, raw) => {
    expect(refused(write, raw)).toMatch(/^INVALID_ARGUMENTS /);
  });

  it.each(["two words", "a,b", "a;b", "[a", '"a"', ""])(
    "are not repaired to a list if they may be several texts: %j",
    (tags) => {
      expect(refused(write, { path: "a", content: "", tags })).toMatch(/^INVALID_ARGUMENTS /);
    },
  );

  it("are not repaired if a union has two readings", () => {
    const tool = {
      name: "t",
      parameters: Type.Object({ v: Type.Union([Type.Integer(), Type.Array(Type.Integer())]) }),
    };
    expect(accepted(tool, { v: "5" })).toEqual({ v: 5 });
    const both = {
      name: "t",
      parameters: Type.Object({ v: Type.Union([Type.Boolean(), Type.Object({ text: Type.Boolean() })]) }),
    };
    expect(refused(both, { v: "maybe" })).toMatch(/^INVALID_ARGUMENTS /);
  });
});

describe("a contradictory tool", () => {
  it.each<[string, Partial<ParameterizedTool>]>([
    ["a malformed schema", { parameters: { type: "object", properties: { a: { type: "strng" } } } }],
    ["no schema", { parameters: undefined }],
    ["a schema of something else", { parameters: { type: "string" } }],
    ["an alias that is itself a parameter", { aliases: { path: ["content"] } }],
    ["an alias of two parameters", { aliases: { path: ["x"], content: ["x"] } }],
    ["an alias of nothing", { aliases: { pth: ["x"] } }],
    [
      "__proto__ as a parameter",
      { parameters: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') },
    ],
  ])("causes TOOL_INVALID for %s", (_, part) => {
    const prepared = prepareArguments({ ...write, ...part }, {});
    expect(prepared).toMatchObject({ ok: false, error: { code: "TOOL_INVALID", category: "operational" } });
  });
});

describe("accepted arguments", () => {
  it("stay unchanged if they are valid", () => {
    const args = { path: "a", content: "" };
    const prepared = prepareArguments(write, args);
    expect(prepared).toEqual({ ok: true, args, repairs: [] });
    expect(prepared.ok && prepared.args).toBe(args);
  });

  it.each([undefined, null, "", "{}", "null", {}])("include %j for a tool without parameters", (raw) => {
    expect(accepted({ name: "t", parameters: Type.Object({}) }, raw)).toEqual({});
  });

  it.each<[string, ParameterizedTool, unknown, unknown]>([
    ["aliases", write, { file_path: "a", content: "b" }, { path: "a", content: "b" }],
    ["aliases that agree", write, { file: "a", path: "a", content: "b" }, { path: "a", content: "b" }],
    [
      "aliases in nested objects",
      edit,
      { file: "a", edits: [{ old_string: "x", new_string: "y" }] },
      { path: "a", edits: [{ oldText: "x", newText: "y" }] },
    ],
    ["aliases of an open schema", open, { file: "a", other: 1 }, { path: "a", other: 1 }],
    ["stray wrappers", write, { arguments: { file: "a", content: "b" } }, { path: "a", content: "b" }],
    ["wrapped text", write, { input: '{"path":"a","content":"b"}' }, { path: "a", content: "b" }],
    [
      "JSON text for an array",
      edit,
      { path: "a", edits: '[{"oldText":"x","newText":"y"}]' },
      { path: "a", edits: [{ oldText: "x", newText: "y" }] },
    ],
    [
      "a lone word for a list of texts",
      write,
      { path: "a", content: "", tags: "C-c" },
      { path: "a", content: "", tags: ["C-c"] },
    ],
    [
      "a lone object for a list of objects",
      edit,
      { path: "a", edits: { old_string: "x", new_string: "y" } },
      { path: "a", edits: [{ oldText: "x", newText: "y" }] },
    ],
    [
      "numbers and booleans in strings",
      edit,
      { path: "a", edits: [], limit: "5", all: "True" },
      { path: "a", edits: [], limit: 5, all: true },
    ],
    ["text blocks", write, { path: "a", content: { type: "text", text: "b" } }, { path: "a", content: "b" }],
    [
      "a text block in an array",
      write,
      { path: "a", content: [{ type: "text", text: "b" }] },
      { path: "a", content: "b" },
    ],
    ["null for nothing", write, { path: "a", content: "", mode: null }, { path: "a", content: "" }],
    [
      "numbers inside JSON inside strings",
      write,
      { path: "a", content: "", tags: '["x"]', mode: "5" },
      { path: "a", content: "", tags: ["x"], mode: 5 },
    ],
  ])("include a repair: %s", (_, tool, raw, args) => {
    expect(accepted(tool, raw)).toEqual(args);
    expect(accepted(tool, JSON.stringify(raw))).toEqual(args);
  });

  it("keep a string for a string parameter in any form", () => {
    const content = '{"text":"x"}';
    expect(accepted(write, { path: "5", content })).toEqual({ path: "5", content });
  });

  it("include a parameter with the name of a wrapper", () => {
    const patch = { name: "apply_patch", parameters: Type.Object({ input: Type.String() }) };
    expect(accepted(patch, { input: "*** Begin Patch" })).toEqual({ input: "*** Begin Patch" });
    expect(refused(patch, { input: { input: "x" } })).toMatch(/^INVALID_ARGUMENTS /);
  });

  it("include ten megabytes of content", () => {
    const content = "x".repeat(10 * 1024 * 1024);
    expect(accepted(write, JSON.stringify({ file: "a", content }))).toEqual({ path: "a", content });
  });

  it("are copies after repairs", () => {
    const raw = { file: "a", edits: [{ old_string: "x", newText: { text: "y" } }], limit: "5" };
    const before = structuredClone(raw);
    accepted(edit, raw);
    expect(raw).toEqual(before);
  });

  it("come with a description of their repairs", () => {
    const prepared = prepareArguments(edit, { file: "a", edits: "[]", limit: "5" });
    expect(prepared.ok && prepared.repairs).toEqual([
      "file → path",
      "edits: parsed JSON from a string",
      "limit: read a number from a string",
    ]);
  });
});

const spelling = fc.constantFrom(
  "path",
  "file_path",
  "file",
  "content",
  "mode",
  "tags",
  "edits",
  "limit",
  "all",
  "__proto__",
  "x",
);
const member = fc.oneof(
  fc.constantFrom<unknown>(
    "a",
    "5",
    "true",
    "",
    "[]",
    '["x"]',
    5,
    1.5,
    true,
    null,
    [],
    ["x"],
    { text: "t" },
    [{ type: "text", text: "t" }],
  ),
  fc.array(
    fc.dictionary(
      fc.constantFrom("oldText", "old_string", "newText", "new_string"),
      fc.constantFrom<unknown>("x", 5, { text: "t" }),
    ),
  ),
);
const anything = fc.oneof(
  fc.dictionary(spelling, member),
  fc.dictionary(spelling, member).map((args) => ({ arguments: args })),
  fc.jsonValue(),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
  fc.string(),
);

test.prop([fc.constantFrom(edit, write, open), anything], { numRuns: scaleRuns(2000, 4) })(
  "never throws, accepts only valid canonical arguments, and changes nothing a second time",
  (tool, raw) => {
    const first = prepareArguments(tool, raw);
    if (!first.ok) {
      expect(first.error.code).toBe("INVALID_ARGUMENTS");
      expect(first.error.message.length).toBeLessThan(5000);
      return;
    }
    expect(getCompiledSpec(tool).validator.check(first.args)).toBe(true);
    for (const alias of tool.aliases?.["path"] ?? []) expect(Object.keys(first.args)).not.toContain(alias);
    expect(prepareArguments(tool, first.args)).toMatchObject({ ok: true, repairs: [] });
    expect(accepted(tool, first.args)).toBe(first.args);
  },
);
