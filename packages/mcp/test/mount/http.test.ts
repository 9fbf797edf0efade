import { contentToText } from "@haft/core";
import { createHostNetwork } from "@haft/workspace";
import { expect, test } from "vitest";
import { type AcceptedServer, type McpCredentials, signIn, surveyMcp } from "../../src/index.ts";
import { httpServer, type HttpServerOptions } from "./http-server.ts";
import { mountServer } from "./support.ts";

/** A session with the tools of such a server. */
async function web(options: HttpServerOptions = {}, { headers }: { headers?: Record<string, string> } = {}) {
  const far = await httpServer(options);
  const network = createHostNetwork({ allowPrivate: [new URL(far.url).host] });
  const stored: { text?: string } = {};
  const credentials: McpCredentials = { read: () => stored.text, write: (text) => void (stored.text = text) };
  const place = { network, credentials };
  const server: AcceptedServer = {
    name: "prog",
    reach: { url: far.url, ...(headers && { headers }) },
    tools: [],
  };
  const mount = async () =>
    mountServer(
      { ...server, tools: (await surveyMcp(server, { place })).tools },
      { mount: { environment: () => place } },
    );
  return { far, server, place, kept: stored, network, credentials, mount };
}

const textOf = (outcome: { content: Parameters<typeof contentToText>[0] }) => contentToText(outcome.content);

test.for([false, true])(
  "reaches a server at an address through the given network (event streams: %s)",
  async (streams) => {
    const { mount, server, place } = await web({ streams }, { headers: { "x-key": "k" } });
    expect(await surveyMcp(server, { place })).toMatchObject({ era: "legacy", info: { name: "web" } });
    const { call } = await mount();
    expect(textOf(await call("echo", { text: "far" }))).toBe("far");
    expect(JSON.parse(textOf(await call("headers")))).toMatchObject({ "x-key": "k" });
  },
);

test.for([
  ["drop", false, "MCP_SERVER_LOST"],
  ["half", false, "MCP_SERVER_LOST"],
  ["half", true, "MCP_SERVER_LOST"],
  ["silent", true, "MCP_SERVER_LOST"],
  ["big", false, "MCP_ANSWER_TOO_LARGE"],
  ["big", true, "MCP_ANSWER_TOO_LARGE"],
  ["away", false, "MCP_SERVER_LOST"],
  ["page", false, "MCP_SERVER_LOST"],
] as const)(
  "an interrupted or invalid answer fails only its call: %s (event streams: %s)",
  async ([name, streams, code]) => {
    const { mount, far } = await web({ streams });
    const { call } = await mount();
    const outcome = await call(name);
    expect(outcome).toMatchObject({ kind: "error", code, receipt: "unknown" });
    expect(textOf(await call("echo", { text: "after" }))).toBe("after");
    expect(far.requests.join()).not.toContain("elsewhere");
  },
);

test("reports an unreachable server and tries it again", async () => {
  const { mount, far } = await web();
  const { call } = await mount();
  far.goDown(true);
  expect(await call("echo", { text: "1" })).toMatchObject({
    kind: "error",
    code: "MCP_SERVER_UNAVAILABLE",
    receipt: "none",
  });
  far.goDown(false);
  expect(await call("echo", { text: "2" })).toMatchObject({ kind: "ok" });
});

test("reaches a private address only if the network allows it", async () => {
  const { server } = await web();
  await expect(surveyMcp(server, { place: { network: createHostNetwork() } })).rejects.toMatchObject({
    code: expect.stringMatching(/^(ADDRESS_REFUSED|MCP_SERVER_UNAVAILABLE)$/),
    message: expect.stringContaining("127.0.0.1"),
  });
  await expect(surveyMcp(server, { place: {} })).rejects.toMatchObject({ code: "MCP_OPTIONS_INVALID" });
});

test("signs in once, refreshes the token, and reports a revoked token", async () => {
  const { far, server, place, kept: stored, network, credentials, mount } = await web({ asksForToken: true });
  await expect(surveyMcp(server, { place })).rejects.toMatchObject({
    code: "MCP_AUTHORIZATION_NEEDED",
    fix: "Ask the operator to run `haft mcp login prog`.",
  });
  const redirectUrl = "http://127.0.0.1:1/callback";
  const visit = async (address: string) => {
    const response = await fetch(address, { redirect: "manual" });
    return response.headers.get("location") ?? "";
  };
  await expect(
    signIn(server, {
      network,
      credentials,
      redirectUrl,
      visit: async (address) => (await visit(address)).replace(/state=[^&]*/, "state=of-somebody-else"),
    }),
  ).rejects.toMatchObject({
    code: "MCP_AUTHORIZATION_NEEDED",
    message: expect.stringContaining("does not belong to this sign-in"),
  });
  await expect(
    signIn(server, {
      network,
      credentials,
      redirectUrl,
      visit: async (address) => `?error=access_denied&state=${new URL(address).searchParams.get("state")}`,
    }),
  ).rejects.toMatchObject({ message: expect.stringContaining("access_denied") });
  expect(await signIn(server, { network, credentials, redirectUrl, visit })).toBe("signed in");
  expect(stored.text).toContain("renew");
  const { call } = await mount();
  expect(textOf(await call("echo", { text: "in" }))).toBe("in");
  far.forgetTokens();
  expect(textOf(await call("echo", { text: "renewed" }))).toBe("renewed");
  expect(far.refreshes()).toBe(1);
  stored.text = "{}";
  far.forgetTokens();
  expect(await call("echo", { text: "out" })).toMatchObject({
    kind: "error",
    code: "MCP_AUTHORIZATION_NEEDED",
  });
});
