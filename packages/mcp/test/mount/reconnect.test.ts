import { text, contentToText } from "@haft/core";
import { defineTool, Type } from "@haft/plugin-sdk";
import { createHostNetwork } from "@haft/workspace";
import { describe, expect, test } from "vitest";
import { type AcceptedServer, surveyMcp } from "../../src/index.ts";
import { serveEndpoint } from "../support/connect-http.ts";
import { createTestMachine } from "../support/machine.ts";
import { forgetfulServer } from "./forgetful-server.ts";
import { mountServer } from "./support.ts";

/** A session with the tools of such a server, after one call that it answered. */
async function mountedServer(options: Parameters<typeof forgetfulServer>[0] = {}) {
  const far = await forgetfulServer(options);
  const place = { network: createHostNetwork({ allowPrivate: [new URL(far.url).host] }) };
  const server: AcceptedServer = { name: "prog", reach: { url: far.url }, tools: [] };
  const { tools } = await surveyMcp(server, { place });
  const { call, changes } = await mountServer({ ...server, tools }, { mount: { environment: () => place } });
  expect(await call("echo", { text: "before" })).toMatchObject({ kind: "ok" });
  const before = far.begun.length;
  return { far, call, changes, begun: () => far.begun.length - before };
}

const textOf = (outcome: { content: Parameters<typeof contentToText>[0] }) => contentToText(outcome.content);

describe.each([
  ["404", { status: 404, message: "Session not found" }],
  ["404 with the id of the request", { status: 404, message: "Session not found", withId: true }],
  ["400 that speaks of the session", { status: 400, message: "Bad Request: No valid session ID provided" }],
  ["400 with the id", { status: 400, message: "Bad Request: Server not initialized", withId: true }],
])("a server that lost the session and answers with %s", (_name, refusal) => {
  test("opens a new session and repeats the call once", async () => {
    const { far, call, begun } = await mountedServer({ refusal });
    far.forget();
    expect(await call("echo", { text: "again" })).toMatchObject({ kind: "ok" });
    expect(far.ran).toEqual(["echo before", "echo again"]);
    expect(await call("echo", { text: "later" })).toMatchObject({ kind: "ok" });
    expect(begun()).toBe(1);
  });

  test("gives up after some attempts, with the receipt `none`", async () => {
    const { far, call } = await mountedServer({ refusal });
    far.state.forgetsAlways = true;
    const outcome = await call("echo", { text: "never" });
    expect(outcome).toMatchObject({ kind: "error", code: "MCP_SERVER_UNAVAILABLE", receipt: "none" });
    expect(textOf(outcome)).toContain("no longer knows the session");
    expect(far.ran).toEqual(["echo before"]);
    far.state.forgetsAlways = false;
    expect(await call("echo", { text: "at last" })).toMatchObject({ kind: "ok" });
  });
});

test("repeats all parallel calls after the session was lost", async () => {
  const { far, call, begun } = await mountedServer();
  far.forget();
  const texts = ["a", "b", "c", "d"];
  const outcomes = await Promise.all(texts.map((text) => call("echo", { text })));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok", "ok", "ok"]);
  expect(far.ran.toSorted()).toEqual(["echo a", "echo b", "echo before", "echo c", "echo d"]);
  expect(begun()).toBeLessThanOrEqual(4);
});

test("reconnects to a restarted server, and a call of an unreachable server has the receipt `none`", async () => {
  const { far, call } = await mountedServer();
  await far.stop();
  far.forget();
  const away = await call("echo", { text: "away" });
  expect(away).toMatchObject({ kind: "error", code: "MCP_SERVER_UNAVAILABLE", receipt: "none" });
  await far.start();
  expect(await call("echo", { text: "back" })).toMatchObject({ kind: "ok" });
  expect(far.ran).toEqual(["echo before", "echo back"]);
});

test("compares the tools again after a reconnect and refuses a changed tool", async () => {
  const { far, call, changes } = await mountedServer();
  far.forget();
  far.state.description = "Sends your files to somebody.";
  const outcome = await call("echo", { text: "x" });
  expect(outcome).toMatchObject({ kind: "error", code: "MCP_TOOL_CHANGED", receipt: "none" });
  expect(far.ran).toEqual(["echo before"]);
  expect(changes.at(-1)).toMatchObject({ changed: [{ name: "echo" }] });
});

test("compares the tools again after the notification stream ended, even with a valid session", async () => {
  const { far, call } = await mountedServer({ streams: true });
  await expect.poll(() => far.open.size).toBeGreaterThan(0);
  far.state.description = "Sends your files to somebody.";
  await far.stop();
  await far.start();
  await expect
    .poll(async () => await call("echo", { text: String(Math.random()) }))
    .toMatchObject({ code: "MCP_TOOL_CHANGED", receipt: "none" });
});

test.each([500, 502, 503, 504])(
  "does not repeat a call that a gateway answered with %i, because it may have run",
  async (status) => {
    const { far, call, begun } = await mountedServer();
    far.state.fail = [status];
    const outcome = await call("echo", { text: "lost" });
    expect(outcome).toMatchObject({ kind: "error", code: "MCP_SERVER_LOST", receipt: "unknown" });
    expect(far.ran).toEqual(["echo before"]);
    expect(await call("echo", { text: "next" })).toMatchObject({ kind: "ok" });
    expect(begun()).toBe(0);
  },
);

test("opens a new session after two such answers in a row", async () => {
  const { far, call, begun } = await mountedServer();
  far.state.fail = [502, 502];
  await call("echo", { text: "1" });
  await call("echo", { text: "2" });
  await expect
    .poll(async () => (await call("echo", { text: String(Math.random()) })).kind, { timeout: 10_000 })
    .toBe("ok");
  expect(begun()).toBe(1);
});

test.each([
  [401, "MCP_AUTHORIZATION_NEEDED"],
  [403, "MCP_SERVER_UNAVAILABLE"],
  [429, "MCP_SERVER_UNAVAILABLE"],
])("a call refused with %i has the receipt `none`, and the session continues", async (status, code) => {
  const { far, call, begun } = await mountedServer();
  far.state.fail = [status];
  expect(await call("echo", { text: "x" })).toMatchObject({ kind: "error", code, receipt: "none" });
  expect(await call("echo", { text: "y" })).toMatchObject({ kind: "ok" });
  expect(begun()).toBe(0);
});

test("does not repeat a call whose answer broke off, because it may have run", async () => {
  const { far, call } = await mountedServer();
  expect(await call("die", { text: "1" })).toMatchObject({ code: "MCP_SERVER_LOST", receipt: "unknown" });
  expect(far.ran).toEqual(["echo before", "die 1"]);
});

test("compares the tools again and reconnects after a 2026 server restarted", async () => {
  const tool = (description: string) =>
    defineTool({
      name: "extra",
      description,
      parameters: Type.Object({}),
      effects: ["read"],
      execute: () => ({ content: [text("extra")], details: {} }),
    });
  const [first, second] = [
    await createTestMachine({}, { more: [tool("As accepted.")] }),
    await createTestMachine({}, { more: [tool("Otherwise.")] }),
  ];
  const served = await serveEndpoint({ t: first.source });
  const { port } = new URL(served.url);
  const place = { network: createHostNetwork({ allowPrivate: [`127.0.0.1:${port}`] }) };
  const reach = { url: served.url, headers: { authorization: "Bearer t" } };
  const survey = await surveyMcp({ name: "prog", reach }, { place });
  expect(survey.era).toBe("modern");
  const server: AcceptedServer = { name: "prog", reach, tools: survey.tools };
  const { call } = await mountServer(server, { mount: { environment: () => place } });
  expect(textOf(await call("extra"))).toContain("extra");
  await served.close();
  await serveEndpoint({ t: second.source }, { port: Number(port) });
  await expect
    .poll(async () => await call("extra"))
    .toMatchObject({ code: "MCP_TOOL_CHANGED", receipt: "none" });
  expect(textOf(await call("look"))).toContain("nothing to see");
});
