import type { Content, FunctionDeclaration, Part, ToolListUnion } from "@google/genai";
import { expect, test } from "vitest";
import { toGemini } from "../../src/gemini/index.ts";
import { golden } from "../support/golden.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup = {}) => openSession([providerTools], setup);

const said: Content = {
  role: "model",
  parts: [
    { text: "I look.", thought: true },
    { functionCall: { name: "greet", args: { who: "Ada" } }, thoughtSignature: "s" },
    { functionCall: { name: "photo" } },
    { functionCall: { name: "scan", args: {} } },
    { functionCall: { name: "foto", args: {} } },
  ],
};

test.each(["beside", "inside"] as const)(
  "functions and a whole turn, images %s, as the SDK has their types",
  async (images) => {
    await using session = await open();
    const { tools, answer, notes } = toGemini(session, { images });
    const offered: ToolListUnion = tools;
    const declared: FunctionDeclaration[] = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
    expect(declared).toHaveLength(session.tools().length);
    const { messages } = await answer(said);
    const contents: Content[] = [{ role: "user", parts: [{ text: "Go." }] }, ...messages];
    const { sent, file } = golden(import.meta.dirname, images, { tools: offered, notes, contents });
    expect(sent).toEqual(file);
  },
);

test("ids are answered where the model gave some, and not made where it did not", async () => {
  await using session = await open();
  const { answer } = toGemini(session);
  const parts: Part[] = [
    { functionCall: { id: "1", name: "greet", args: { name: "Ada" } } },
    { functionCall: { id: "1", name: "greet", args: { name: "Bob" } } },
    { functionCall: { name: "greet", args: { name: "Eve" } } },
  ];
  const { messages, results } = await answer(parts);
  const sent: Content[] = messages;
  const ids = [...sent[0]!.parts!].map(({ functionCall }) => functionCall?.id);
  expect(ids).toEqual(["1", expect.stringMatching(/^call_\w{24}$/), undefined]);
  expect(results[0]?.parts.map((part) => "functionResponse" in part && part.functionResponse.id)).toEqual(
    ids,
  );
});

test("omits an empty list of functions, which the API rejects", async () => {
  await using session = await openSession([]);
  expect(toGemini(session).tools).toEqual([]);
});
