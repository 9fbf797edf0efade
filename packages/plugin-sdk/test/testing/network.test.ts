import { expect, test } from "vitest";
import { definePlugin, defineTool, text, contentToText, Type } from "../../src/index.ts";
import { createTestSession, type NetworkAnswers, testPlugin, testTool } from "../../src/testing/index.ts";

const status = defineTool({
  name: "status",
  description: "Looks up the status of a service by its name.",
  parameters: Type.Object({ service: Type.String({ description: "Its name.", pattern: "^[a-z]{1,8}$" }) }),
  effects: ["network"],
  hosts: ["api.example.com"],
  async execute(_id, { service }, signal, _onUpdate, { fetch }) {
    const response = await fetch(`https://api.example.com/status/${service}?full=1`, {
      signal,
      method: "POST",
      body: service,
      headers: { "x-key": "k" },
    });
    return { content: [text(`${response.status} ${(await response.text()).slice(0, 100)}`)], details: {} };
  },
});
const ask = async (network: NetworkAnswers) =>
  (await testTool(status, { service: "shop" }, { network })).text;

test.each<[string, NetworkAnswers, string]>([
  ["its address", { "https://api.example.com/status/shop": "up" }, "200 up"],
  ["its whole address", { "https://api.example.com/status/shop?full=1": "up" }, "200 up"],
  ["any address of a host", { "https://api.example.com/*": "up" }, "200 up"],
  ["its method", { "GET https://api.example.com/*": "no", "POST https://api.example.com/*": "up" }, "200 up"],
  ["a response", { "*": new Response("gone", { status: 404 }) }, "404 gone"],
  [
    "a function",
    { "*": async (request) => new Response(`${request.method} ${await request.text()}`) },
    "200 POST shop",
  ],
])("a request is answered by %s", async (_, network, said) => {
  expect(await ask(network)).toBe(said);
});

test("one answer serves many requests, and all requests are recorded", async () => {
  const plugin = definePlugin({ id: "s", tools: [status] });
  const session = await createTestSession(plugin, { network: { "*": Response.json({ up: true }) } });
  for (const service of ["a", "b"])
    expect(contentToText((await session.call("status", { service })).content)).toBe('200 {"up":true}');
  expect(session.requests).toMatchObject([
    { method: "POST", url: "https://api.example.com/status/a?full=1", body: "a", headers: { "x-key": "k" } },
    { url: "https://api.example.com/status/b?full=1" },
  ]);
  await session.close();
});

test("an unexpected request is an error that shows how to expect it, and sends no data", async () => {
  const said = await ask({ "https://other.example.com/": "no" });
  expect(said).toMatch(
    /no answer for POST https:\/\/api\.example\.com\/status\/shop\?full=1\. It answers https:\/\/other/,
  );
  expect(said).toContain('network: { "POST https://api.example.com/status/shop?full=1": Response.json');
  expect(await ask({ "*": 7 as never })).toMatch(/is number, no Response/);
});

test("redirects follow the kernel: undeclared hosts are not reached", async () => {
  const network = { "*": () => Response.redirect("https://elsewhere.example.com/") };
  expect(await ask(network)).toMatch(/elsewhere\.example\.com/);
});

test("a check answers requests in many ways, and reports an undeclared request", async () => {
  const few = { seed: 1, runs: 20, callMs: 500, sandbox: false };
  const good = await testPlugin(definePlugin({ id: "s", tools: [status] }), few);
  expect(good.problems).toEqual([]);
  expect(good.checks.find(({ check }) => check === "effects")).toMatchObject({
    message: "network, as it declares.",
  });
  const secret = { ...status, effects: [] };
  const { problems } = await testPlugin(definePlugin({ id: "s", tools: [secret] }), few);
  expect(problems).toMatchObject([
    { check: "arguments", message: expect.stringContaining("does not declare") },
  ]);
});

test("a tool that leaves its signal out still ends with its call, since its fetch does", async () => {
  const careless = {
    ...status,
    execute: async (
      _id: string,
      _args: object,
      _signal: AbortSignal,
      _on: unknown,
      { fetch }: { fetch: (url: string) => Promise<Response> },
    ) => {
      await fetch("https://api.example.com/");
      return { content: [text("done")], details: {} };
    },
  };
  const { checks } = await testPlugin(definePlugin({ id: "s", tools: [careless as typeof status] }), {
    seed: 1,
    runs: 5,
    sandbox: false,
  });
  expect(checks.find(({ check }) => check === "abort")).toMatchObject({
    status: "ok",
    message: "ended soon after it was aborted.",
  });
});
