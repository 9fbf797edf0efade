import { request } from "node:http";
import { expect, test } from "vitest";
import { serveEndpoint, connectHttp } from "../../support/connect-http.ts";
import { createTestMachine } from "../../support/machine.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A request as it is written: `fetch` does not let anybody say another host. */
function post(
  url: string,
  headers: Record<string, string>,
  body: string = JSON.stringify(INITIALIZE),
  method = "POST",
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...HEADERS, ...headers } }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

test("rejects requests without a token, with a wrong token or with a revoked token", async () => {
  const { source, sessions } = await createTestMachine();
  const tenants = new Map([["right", { label: "t", source: () => source }]]);
  const { url } = await serveEndpoint({}, { resolveTenant: (token = "") => tenants.get(token) });
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Basic right" }]) {
    const refused = await post(url, headers);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer/);
  }
  const begun = await post(url, { authorization: "Bearer right" });
  expect(begun.status).toBe(200);
  tenants.clear();
  const old = await post(url, {
    authorization: "Bearer right",
    "mcp-session-id": String(begun.headers["mcp-session-id"]),
  });
  expect(old.status).toBe(401);
  expect(sessions).toHaveLength(0);
});

test("rejects pages of other sites by origin and host name, even with a token", async () => {
  const { source } = await createTestMachine();
  const { url } = await serveEndpoint({ t: source });
  const authorization = "Bearer t";
  expect(await post(url, { authorization, origin: "https://evil.example" })).toMatchObject({ status: 403 });
  expect(await post(url, { authorization, origin: "null" })).toMatchObject({ status: 403 });
  expect(await post(url, { authorization, host: "evil.example" })).toMatchObject({ status: 403 });
  const preflight = await post(url, { origin: "https://evil.example" }, "", "OPTIONS");
  expect(preflight.status).toBe(403);
  expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  expect(await post(url, { authorization })).toMatchObject({ status: 200 });
});

test("a token cannot reach the session of another token", async () => {
  const { source } = await createTestMachine();
  const { url } = await serveEndpoint({ one: source, other: (await createTestMachine()).source });
  const begun = await post(url, { authorization: "Bearer one" });
  const id = String(begun.headers["mcp-session-id"]);
  const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect(await post(url, { authorization: "Bearer other", "mcp-session-id": id }, list)).toMatchObject({
    status: 404,
  });
  expect(await post(url, { authorization: "Bearer one", "mcp-session-id": id }, list)).toMatchObject({
    status: 200,
  });
  expect(
    await post(url, { authorization: "Bearer other", "mcp-session-id": id }, "", "DELETE"),
  ).toMatchObject({ status: 404 });
});

test("rejects invalid, oversized and misdirected requests, and the endpoint continues", async () => {
  const { source } = await createTestMachine();
  const served = await serveEndpoint({ t: source }, { limits: { bodyBytes: 10_000 } });
  const authorization = "Bearer t";
  expect((await post(served.url, { authorization }, "{")).status).toBe(400);
  expect((await post(served.url, { authorization }, "[]")).status).toBe(400);
  expect((await post(served.url, { authorization }, JSON.stringify("x".repeat(20_000)))).status).toBe(413);
  expect((await post(served.url, { authorization, "content-type": "text/plain" })).status).toBe(415);
  expect((await post(served.url.replace("/mcp", "/"), { authorization })).status).toBe(404);
  expect((await post(served.url, { authorization, "haft-session": "../x" })).status).toBe(400);
  const { client } = await connectHttp(served, { era: "2026-07-28", token: "t" });
  expect((await client.listTools()).tools).toHaveLength(3);
});

test("1,000 initializations without calls use no session and do not close used sessions", async () => {
  const { source, sessions } = await createTestMachine();
  const served = await serveEndpoint({ t: source }, { limits: { sessions: 4 } });
  const { client } = await connectHttp(served, { era: "2025-11-25", token: "t" });
  await client.callTool({ name: "look", arguments: {} });
  for (let at = 0; at < 1_000; at++) {
    const { status } = await post(served.url, { authorization: "Bearer t" });
    if (status !== 200) throw new Error(`${at}: ${status}`);
  }
  expect((await client.callTool({ name: "look", arguments: {} })).isError).toBeUndefined();
  expect(sessions).toHaveLength(1);
  for (let at = 0; at < 3; at++) {
    const more = await connectHttp(served, { era: "2025-11-25", token: "t" });
    await more.client.callTool({ name: "look", arguments: {} });
  }
  const refused = await post(served.url, { authorization: "Bearer t" });
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining("serve.limits.sessions") });
});
