import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { answer, codeOf, makeTool, openSession } from "../support/kernel.ts";

const UNTOLD = { "haft:unadvertised": true };

test("models are not told of what is marked, at any depth, and whoever gives it is understood and checked", async () => {
  const item = Type.Object({
    text: Type.String(),
    count: Type.Optional(Type.Integer({ minimum: 1, ...UNTOLD })),
  });
  const tool = makeTool("edit", {
    parameters: Type.Object(
      {
        path: Type.String({ minLength: 1 }),
        hash: Type.Optional(Type.String(UNTOLD)),
        edits: Type.Array(item),
      },
      { additionalProperties: false },
    ),
    execute: (_id, params) => answer(JSON.stringify(params)),
  });
  const session = await openSession({ tools: [tool] });
  expect(JSON.parse(JSON.stringify(session.tools()[0]?.parameters))).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["path", "edits"],
    properties: {
      path: { type: "string" },
      edits: {
        type: "array",
        items: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
      },
    },
  });
  const call = (args: object) => session.call({ name: "edit", arguments: args });
  const given = { path: "a", hash: "1", edits: [{ text: "a", count: 2 }] };
  expect(await call(given)).toMatchObject({ kind: "ok", content: [{ text: JSON.stringify(given) }] });
  for (const wrong of [
    { ...given, path: "" },
    { ...given, edits: [{ text: "a", count: 0 }] },
    { ...given, other: 1 },
  ])
    expect(codeOf(await call(wrong))).toBe("INVALID_ARGUMENTS");
});

test("a schema in which nothing is left out is told as it is", async () => {
  const parameters = Type.Object({ name: Type.String({ minLength: 2 }), list: Type.Array(Type.Integer()) });
  const session = await openSession({ tools: [makeTool("t", { parameters })] });
  expect(JSON.stringify(session.tools()[0]?.parameters)).toBe(JSON.stringify(parameters));
});

test("what is no schema of an object is left alone", async () => {
  const parameters = {
    type: "object",
    properties: { a: true, b: { enum: [null] }, items: { minLength: 1, type: "string" } },
  };
  const session = await openSession({ tools: [makeTool("t", { parameters: parameters as never })] });
  expect(session.tools()[0]?.parameters).toEqual({
    type: "object",
    properties: { a: true, b: { enum: [null] }, items: { type: "string" } },
  });
});
