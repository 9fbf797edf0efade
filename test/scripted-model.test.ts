import { describe, expect, onTestFinished, test } from "vitest";
import type { DialectName, Script, Turn } from "../scripts/lib/scripted-model/script.ts";
import { inOrder } from "../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../scripts/lib/scripted-model/scripted-model.ts";
import { eventsOf, modelClients, type Said } from "./support/model-clients.ts";

// What real clients are tried against has to be right itself: each API is spoken here by the least that a client of it is.
const DIALECTS = Object.keys(modelClients) as DialectName[];
const ARGUMENTS = { path: "ä 🦊.txt", note: `longer than one piece of a stream, ${"and longer ".repeat(9)}` };

async function start(script: Script) {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const post = (path: string, body: unknown, signal?: AbortSignal) =>
    fetch(model.url + path, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  return { model, post };
}

describe.each(DIALECTS)("%s", (dialect) => {
  const client = modelClients[dialect];

  test.each([false, true])(
    "turns are said in order, whatever was asked before: streamed %s",
    async (stream) => {
      const turns: Turn[] = [
        {
          text: "First I look — größer als ein Stück, mit 🦊.",
          calls: [{ name: "read", arguments: ARGUMENTS, namespace: "mcp__haft" }],
        },
        {
          calls: [
            { name: "read", arguments: {}, id: "same" },
            { name: "not_there", arguments: {}, id: "same" },
          ],
        },
        { text: "And now?" },
        { calls: [{ name: "read", arguments: {} }] },
      ];
      const { model, post } = await start(inOrder(turns));
      const ask = async (sofar: Parameters<typeof client.body>[1]): Promise<Said> => {
        const answer = await post(client.path(stream), client.body("Go.", sofar, stream));
        expect(answer.status).toBe(200);
        return stream ? client.streamed(eventsOf(await answer.text())) : client.whole(await answer.json());
      };
      const sofar: (Said & { results: string[] })[] = [];
      for (const turn of [...turns, { text: "Done." }]) {
        // Asked twice, as by a client that tries again.
        for (const said of [await ask(sofar), await ask(sofar)]) {
          expect(said.text).toBe(turn.text ?? "");
          expect(said.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual(
            (turn.calls ?? []).map(({ name, arguments: args }) => [name, args]),
          );
        }
        const said = await ask(sofar);
        if (turn === turns[1]) expect(said.calls.map(({ id }) => id)).toEqual(["same", "same"]);
        sofar.push({ ...said, results: said.calls.map(({ name }, index) => `${name} ${index}`) });
      }
      const last = model.requests.at(-1)!;
      expect(last).toMatchObject({ dialect, model: "m", stream, said: 1 });
      expect(last.results.map(({ text }) => text)).toEqual(["read 0", "read 0", "not_there 1", "read 0"]);
      expect(last.results.every(({ images }) => images === (dialect === "openai-responses" ? 1 : 0))).toBe(
        true,
      );
      expect(last.tools.map(({ name }) => name)).toEqual(["read"]);
      expect(model.requests[0]!.prompt).toBe("Go.");
    },
  );

  test("a result that is missing is an error of the API, and the next request is answered", async () => {
    const calls = [
      { name: "read", arguments: {} },
      { name: "read", arguments: {} },
    ];
    const { post } = await start(inOrder([{ calls }]));
    const said = { text: "", calls: [1, 2].map((id) => ({ id: `${id}`, name: "read", arguments: "{}" })) };
    const wrong = await post(client.path(true), client.body("Go.", [{ ...said, results: ["a"] }], true));
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("Turn 1 has 2 calls, and 1 of them came back.");
    const right = await post(client.path(true), client.body("Go.", [{ ...said, results: ["a", "b"] }], true));
    expect(client.streamed(eventsOf(await right.text())).text).toBe("Done.");
  });

  test("an answer can be an error, cut, malformed or stalled", async () => {
    const faults: Turn[] = [
      { fault: { kind: "status", status: 429, message: "Too many.", headers: { "retry-after": "7" } } },
      { text: "cut ".repeat(50), fault: { kind: "cut", after: 3 } },
      { text: "malformed ".repeat(50), fault: { kind: "malformed" } },
    ];
    const { post } = await start(({ prompt }) => faults[Number(prompt)]!);
    const ask = (prompt: number, stream = true) =>
      post(client.path(stream), client.body(`${prompt}`, [], stream));
    const limited = await ask(0);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await limited.text()).toContain("Too many.");
    await expect((await ask(1)).text()).rejects.toThrow(/terminated/);
    await expect((await ask(1, false)).text()).rejects.toThrow(/terminated/);
    expect(await (await ask(2)).text()).toContain("data: {not json\n\n");

    const { promise: until, resolve } = Promise.withResolvers<void>();
    const stalled = await start(() => ({
      text: "late ".repeat(50),
      fault: { kind: "stall", after: 1, until },
    }));
    const answer = await stalled.post(client.path(true), client.body("Go.", [], true));
    const reader = answer.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    const rest = reader.read();
    expect(
      await Promise.race([rest.then(() => "more"), new Promise((late) => setTimeout(late, 100, "nothing"))]),
    ).toBe("nothing");
    resolve();
    expect((await rest).done).toBe(false);
    await reader.cancel();
    // One that stalls for ever does not keep the endpoint from closing.
    const forever = await start(() => ({ text: "never", fault: { kind: "stall" } }));
    const aborted = forever.post(client.path(true), client.body("Go.", [], true)).then((each) => each.text());
    const outcome = aborted.then(
      () => "answered",
      () => "broken",
    );
    await expect.poll(() => forever.model.requests.length).toBe(1);
    await forever.model.close();
    expect(await outcome).toBe("broken");
  });
});

test("requests without tools are told something, and are not a turn", async () => {
  const { post } = await start(inOrder([{ calls: [{ name: "read", arguments: {} }] }], { aside: "A title" }));
  const answer = await post("/v1/chat/completions", {
    model: "m",
    messages: [{ role: "user", content: "Title?" }],
  });
  expect(JSON.stringify(await answer.json())).toContain("A title");
});

test("a freeform tool of the Responses API gets text", async () => {
  const call = { name: "apply_patch", arguments: "*** Begin Patch", custom: true };
  const { post } = await start(() => ({ calls: [call] }));
  const body = { model: "m", stream: true, input: "Go.", tools: [{ type: "custom", name: "apply_patch" }] };
  const events = eventsOf(await (await post("/v1/responses", body)).text());
  const [done] = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.item).toMatchObject({
    type: "custom_tool_call",
    name: "apply_patch",
    input: "*** Begin Patch",
  });
});

test("what is not there, or no JSON, is told and noted", async () => {
  const { model, post } = await start(() => ({ text: "x" }));
  expect((await post("/v1/embeddings", {})).status).toBe(404);
  expect((await post("/v1/messages", "{")).status).toBe(404);
  expect(model.strays).toEqual(["POST /v1/embeddings", "POST /v1/messages"]);
  expect(await (await post("/v1/messages/count_tokens", { messages: [] })).json()).toHaveProperty(
    "input_tokens",
  );
  expect(await (await fetch(`${model.url}/v1/models`)).json()).toHaveProperty("data");
});
