import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedEndpoint, type ScriptedEndpoint } from "../src/scripted/endpoint.ts";

const ARGUMENTS = {
  path: "a.txt",
  note: 'two\nlines, a "quote" and 🦊🦊 foxes, longer than one piece of the stream',
};
const TEXT = "First I look at the file — größer als ein Stück, mit 🦊.";

interface Chunk {
  object: string;
  choices: {
    delta: {
      content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: { total_tokens: number } | null;
}

let endpoint: ScriptedEndpoint;
beforeAll(async () => {
  endpoint = await startScriptedEndpoint({
    caller: () => ({
      text: TEXT,
      calls: [
        { name: "read", arguments: ARGUMENTS },
        { name: "read", arguments: "{broken" },
      ],
    }),
    talker: () => ({ text: TEXT }),
    silent: () => ({}),
    faulty: () => {
      throw new Error("lost the plot");
    },
  });
});
afterAll(() => endpoint[Symbol.asyncDispose]());

function post(body: unknown, path = "/chat/completions"): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(endpoint.baseUrl + path, { method: "POST", body: text });
}

async function events(model: string, more: object = {}): Promise<string[]> {
  const response = await post({ model, messages: [], stream: true, ...more });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const body = await response.text();
  expect(body.endsWith("\n\n")).toBe(true);
  return body.slice(0, -2).split("\n\n");
}

async function chunksOf(model: string, more: object = {}): Promise<Chunk[]> {
  const all = await events(model, more);
  expect(all.pop()).toBe("data: [DONE]");
  return all.map((event) => {
    expect(event).toMatch(/^data: \{.*\}$/);
    return JSON.parse(event.slice("data: ".length)) as Chunk;
  });
}

describe("streamed", () => {
  test("text comes in pieces and ends with stop", async () => {
    const chunks = await chunksOf("talker");
    const pieces = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ""));
    expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe(TEXT);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      ...chunks.slice(1).map(() => null),
      "stop",
    ]);
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
  });

  test("each call is announced once and its arguments follow in pieces, by index", async () => {
    const chunks = await chunksOf("caller");
    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    const announced = deltas.filter(({ id }) => id !== undefined);
    expect(announced.map(({ index, function: { name } }) => [index, name])).toEqual([
      [0, "read"],
      [1, "read"],
    ]);
    expect(new Set(announced.map(({ id }) => id)).size).toBe(2);
    const text = (wanted: number) =>
      deltas.map(({ index, function: called }) => (index === wanted ? called.arguments : "")).join("");
    expect(JSON.parse(text(0))).toEqual(ARGUMENTS);
    expect(text(1)).toBe("{broken");
    expect(deltas.filter(({ index }) => index === 0).length).toBeGreaterThan(2);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("usage comes last, when it is asked for", async () => {
    expect((await chunksOf("talker")).every((chunk) => !("usage" in chunk))).toBe(true);
    const last = (await chunksOf("talker", { stream_options: { include_usage: true } })).at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test("a model with nothing to say still ends", async () => {
    expect((await chunksOf("silent")).at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });
});

describe("whole", () => {
  test("one message with text and calls", async () => {
    const body = (await (await post({ model: "caller", messages: [] })).json()) as {
      object: string;
      choices: {
        message: { content: string; tool_calls: { function: { arguments: string } }[] };
        finish_reason: string;
      }[];
    };
    expect(body.object).toBe("chat.completion");
    expect(body.choices[0]?.message.content).toBe(TEXT);
    expect(JSON.parse(body.choices[0]!.message.tool_calls[0]!.function.arguments)).toEqual(ARGUMENTS);
    expect(body.choices[0]?.finish_reason).toBe("tool_calls");
  });
});

test.each([
  [
    "an unknown model",
    () => post({ model: "toString", messages: [] }),
    /no model "toString"; there are: caller/,
  ],
  ["a script that throws", () => post({ model: "faulty", messages: [] }), /lost the plot/],
])("%s is an error in OpenAI's shape, which clients do not try again", async (_what, send, why) => {
  const response = await send();
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toMatch(why);
});

test("closing does not wait for a request that hangs, and may be done twice", async () => {
  const hanging = await startScriptedEndpoint({ slow: () => new Promise(() => {}) });
  const body = JSON.stringify({ model: "slow", messages: [] });
  const request = fetch(`${hanging.baseUrl}/chat/completions`, { method: "POST", body });
  const outcome = request.then(
    () => "answered",
    () => "broken",
  );
  await new Promise((resolve) => void setTimeout(resolve, 50));
  await hanging[Symbol.asyncDispose]();
  await hanging[Symbol.asyncDispose]();
  expect(await outcome).toBe("broken");
});
