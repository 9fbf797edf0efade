import { expect, test } from "vitest";
import { longestTurn } from "../../../../../test/support/longest-turn.ts";
import { serveEndpoint } from "../../support/connect-http.ts";
import { createTestMachine } from "../../support/machine.ts";

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: "Bearer t",
};

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

test("rejects arguments of 300,000 keys without blocking other conversations", async () => {
  const { source } = await createTestMachine();
  const { url } = await serveEndpoint({ t: source });
  const post = (body: string, session = ""): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { ...HEADERS, ...(session !== "" && { "mcp-session-id": session }) },
      body,
    });
  const begun = await post(JSON.stringify(INITIALIZE));
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const keys = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${index}`, 1]));
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look", arguments: keys } };
  const body = JSON.stringify(call);
  let answer = "";
  const turn = await longestTurn(async () => {
    answer = await (await post(body, session)).text();
  });
  expect(answer).toContain("A request has at most 100000 values and names");
  expect(turn).toBeLessThan(1_000);
});
