import { expect, test } from "vitest";
import { adaptToClient } from "../../../src/serve/calls/adapt-to-client.ts";

const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });

test.each(["1764000000", "true", "null", "[1,2]", '"x"'])(
  "Gemini CLI gets structured content for %s",
  (text) => {
    const adapted = adaptToClient(answer(text), "gemini-cli-mcp-client");
    expect(adapted).toEqual({ ...answer(text), structuredContent: { text } });
  },
);

test.each(["plain text", '{"a":1}', ""])("Gemini CLI gets %j unchanged", (text) => {
  expect(adaptToClient(answer(text), "gemini-cli-mcp-client")).toEqual(answer(text));
});

test.each(["claude-code", undefined])("the client %s gets its result unchanged", (name) => {
  expect(adaptToClient(answer("5"), name)).toEqual(answer("5"));
});

test("keeps structured content that a tool sent", () => {
  const result = { ...answer("5"), structuredContent: { value: 5 } };
  expect(adaptToClient(result, "gemini-cli-mcp-client")).toBe(result);
});
