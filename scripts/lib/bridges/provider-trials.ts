import { toAnthropic } from "@haft/adapters/anthropic";
import { toGemini } from "@haft/adapters/gemini";
import { toLangChain } from "@haft/adapters/langchain";
import { toOpenAI } from "@haft/adapters/openai";
import type { Session } from "@haft/core/kernel";
import assert from "node:assert/strict";
import { scriptTurns } from "../scripted-model/script.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { camera, openSession, type Trial } from "./trial.ts";

/** Converses with a local model by a provider's client; resolves to the model's last text. */
type Converse = (load: Load, session: Session, url: string) => Promise<unknown>;

/** Two parallel calls with one id, a failing call, and a call of an unknown tool. */
const turns = [
  {
    calls: [
      { id: "call_1", name: "photo", arguments: { of: "Ada" } },
      { id: "call_1", name: "photo", arguments: { of: "nobody" } },
    ],
  },
  { calls: [{ name: "foto", arguments: { of: "Ada" } }] },
];

/** @param place the first result's image: in the result, or after all results */
function works(converse: Converse, place: "inside" | "behind"): Trial["checks"][string] {
  return async (load) => {
    await using session = await openSession([camera]);
    await using model = await startScriptedModel(scriptTurns(turns));
    assert.equal(await converse(load, session, model.url), "Done.");
    assert.deepEqual(
      session.ledger().map(({ toolName, status }) => [toolName, status]),
      [
        ["photo", "completed"],
        ["photo", "failed"],
        ["foto", "failed"],
      ],
    );
    const { results, body } = model.requests.at(-1)!;
    if (place === "inside") assert.equal(results[0]!.images, 1);
    for (const [at, said] of [/^Of Ada:/, /There is nobody\./, /Did you mean photo\?/].entries())
      assert.match(results[at]!.text, said);
    assert.equal(new Set(results.map(({ callId }) => callId)).size, results.length);
    assert.equal(JSON.stringify(body).split("AQID").length, 2);
    assert.deepEqual(model.strays, []);
  };
}

type Load = Parameters<Trial["checks"][string]>[0];

async function withChat(load: Load, session: Session, url: string): Promise<unknown> {
  const { OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const { tools, answer } = toOpenAI(session);
  for (const messages: object[] = [{ role: "user", content: "Go." }]; ;) {
    const { choices } = await client.chat.completions.create({ model: "scripted", messages, tools });
    const turn = await answer(choices[0].message as object);
    if (turn.outcomes.length === 0) return choices[0].message.content;
    messages.push(...turn.messages);
  }
}

async function withResponses(load: Load, session: Session, url: string): Promise<unknown> {
  const { OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const { tools, answer } = toOpenAI(session, { api: "responses" });
  for (const input: object[] = [{ role: "user", content: "Go." }]; ;) {
    const response = await client.responses.create({ model: "scripted", input, tools });
    const { messages, outcomes } = await answer(response.output as object[]);
    if (outcomes.length === 0) return response.output_text;
    input.push(...messages);
  }
}

async function withAnthropic(load: Load, session: Session, url: string): Promise<unknown> {
  const { Anthropic } = await load("@anthropic-ai/sdk");
  const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const { tools, answer } = toAnthropic(session);
  for (const messages: object[] = [{ role: "user", content: "Go." }]; ;) {
    const message = await client.messages.create({ model: "scripted", max_tokens: 1_000, messages, tools });
    const turn = await answer(message as { content: object[] });
    if (turn.outcomes.length === 0) return message.content[0].text;
    messages.push(...turn.messages);
  }
}

async function withGemini(load: Load, session: Session, url: string): Promise<unknown> {
  const { GoogleGenAI } = await load("@google/genai");
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  const { tools, answer } = toGemini(session, { images: "inside" });
  for (const contents: object[] = [{ role: "user", parts: [{ text: "Go." }] }]; ;) {
    const response = await client.models.generateContent({ model: "scripted", contents, config: { tools } });
    const turn = await answer(response.candidates[0].content as object);
    if (turn.outcomes.length === 0) return response.text;
    contents.push(...turn.messages);
  }
}

async function withLangChain(load: Load, session: Session, url: string): Promise<unknown> {
  const { createAgent, createMiddleware, tool, ToolMessage } = await load("langchain");
  const { ChatOpenAI } = await load("@langchain/openai");
  const { tools, hooks } = toLangChain(session, { tool, ToolMessage });
  const model = new ChatOpenAI({
    model: "scripted",
    apiKey: "none",
    configuration: { baseURL: `${url}/v1` },
  });
  const middleware = [createMiddleware({ name: "haft", ...hooks })];
  const { messages } = await createAgent({ model, tools, middleware }).invoke({ messages: ["Go."] });
  return messages.at(-1).content;
}

export const providerTrials: readonly Trial[] = [
  {
    name: "openai",
    framework: "OpenAI",
    packages: ["openai@7.57.0"],
    checks: {
      // In chat completions, images follow the answers.
      "`toOpenAI(session)` with its client, chat completions": works(withChat, "behind"),
      '`toOpenAI(session, { api: "responses" })` with its client': works(withResponses, "inside"),
    },
  },
  {
    name: "anthropic",
    framework: "Anthropic",
    packages: ["@anthropic-ai/sdk@1.14.0"],
    checks: { "`toAnthropic(session)` with its client": works(withAnthropic, "inside") },
  },
  {
    name: "gemini",
    framework: "Gemini",
    packages: ["@google/genai@3.3.0"],
    checks: { "`toGemini(session)` with its client": works(withGemini, "inside") },
  },
];

export const langChainAgentTrial: Trial = {
  name: "langchain-agent",
  framework: "LangChain agent",
  packages: ["langchain@1.5.14", "@langchain/core@1.4.0", "@langchain/openai@1.6.0", "zod@4.6.7"],
  checks: {
    "`toLangChain(session)` in `createAgent()`, with a model of OpenAI": works(withLangChain, "inside"),
  },
};
