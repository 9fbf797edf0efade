import type { CallToolResult, Client, ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { serveEndpoint, connectHttp } from "../../support/connect-http.ts";
import { ERAS } from "../../support/connect-stdio.ts";
import { createTestMachine } from "../../support/machine.ts";

const factsOf = ({ _meta }: CallToolResult) => _meta?.["haft/outcome"] as Record<string, unknown>;

describe.each(ERAS)("over HTTP, %s", (era) => {
  test("two tokens never share a session, even with the same session name", async () => {
    const [one, other] = [await createTestMachine(), await createTestMachine()];
    const served = await serveEndpoint({ one: one.source, other: other.source });
    const first = await connectHttp(served, { era, token: "one", session: "same" });
    const second = await connectHttp(served, { era, token: "other", session: "same" });
    await first.client.callTool({ name: "take_note", arguments: { what: "mine" } });
    await second.client.callTool({ name: "take_note", arguments: { what: "theirs" } });
    expect([one.actions, other.actions]).toEqual([["mine"], ["theirs"]]);
    expect([one.sessions.length, other.sessions.length]).toEqual([1, 1]);
  });

  test("calls of one client share a session, report progress and can be cancelled", async () => {
    const { source, actions, sessions, holdStarted } = await createTestMachine();
    const { client } = await connectHttp(await serveEndpoint({ t: source }), { era, token: "t" });
    expect((await client.listTools()).tools).toHaveLength(3);
    await client.callTool({ name: "look", arguments: {} });
    const controller = new AbortController();
    const progress: unknown[] = [];
    const calling = client.callTool(
      { name: "hold", arguments: {} },
      { signal: controller.signal, onprogress: ({ message }) => progress.push(message) },
    );
    await holdStarted;
    await until("progress was heard", () => progress.length > 0);
    controller.abort("enough");
    await expect(calling).rejects.toThrow("enough");
    await until("it was stopped", () => actions.includes("stopped"));
    expect(sessions).toHaveLength(1);
    expect(sessions[0]!.ledger()).toHaveLength(2);
  });

  test("asks the client's user, and an allowed call is in the ledger once", async () => {
    const { source, actions, sessions } = await createTestMachine({
      sessions: { main: { ask: ["take_note"] } },
    });
    const answer = (): ElicitResult => ({ action: "accept", content: { decision: "allow-once" } });
    const { client } = await connectHttp(await serveEndpoint({ t: source }), {
      era,
      token: "t",
      client: { capabilities: { elicitation: { form: {} } } },
      prepare: (made: Client) => made.setRequestHandler("elicitation/create", answer),
    });
    const result = await client.callTool({ name: "take_note", arguments: { what: "milk" } });
    expect(factsOf(result)).toMatchObject({ kind: "ok" });
    expect(actions).toEqual(["milk"]);
    expect(sessions[0]!.ledger()).toHaveLength(1);
  });
});

test("2026 clients use the session that they name, or one session without a name", async () => {
  const { source, sessions } = await createTestMachine();
  const served = await serveEndpoint({ t: source });
  const look = { name: "look", arguments: {} };
  for (const session of ["a", "a", "b", undefined, undefined]) {
    const { client } = await connectHttp(served, {
      era: "2026-07-28",
      token: "t",
      ...(session && { session }),
    });
    await client.callTool(look);
  }
  expect(sessions.map((session) => session.ledger().length)).toEqual([2, 1, 2]);
});

test("each 2025 client has its own session and can end it", async () => {
  const { source, sessions } = await createTestMachine();
  const served = await serveEndpoint({ t: source });
  const one = await connectHttp(served, { era: "2025-11-25", token: "t" });
  const other = await connectHttp(served, { era: "2025-11-25", token: "t" });
  await one.client.callTool({ name: "look", arguments: {} });
  await other.client.callTool({ name: "look", arguments: {} });
  expect(sessions).toHaveLength(2);
  await one.transport.terminateSession();
  const closed = await sessions[0]!.call({ name: "look", arguments: {} });
  expect(closed).toMatchObject({ code: "SESSION_CLOSED" });
  expect((await other.client.callTool({ name: "look", arguments: {} })).isError).toBeUndefined();
});

test("rejects the HTTP request with a duplicate id and answers the first request", async () => {
  const there = await createTestMachine();
  const { url } = await serveEndpoint({ t: there.source });
  let session: string | null = null;
  const post = (message: object) =>
    fetch(url, {
      method: "POST",
      headers: {
        authorization: "Bearer t",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...(session && { "mcp-session-id": session }),
      },
      body: JSON.stringify(message),
    });
  const call = (id: number, name: string, args: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const greeted = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  session = greeted.headers.get("mcp-session-id");
  await greeted.text();
  const first = await post(call(5, "hold"));
  await there.holdStarted;
  for (const again of [
    call(5, "take_note", { what: "twice" }),
    [call(6, "take_note", { what: "in a batch" }), call(5, "look")],
    [call(7, "take_note", { what: "one" }), call(7, "take_note", { what: "other" })],
  ]) {
    const refused = await post(again);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      id: null,
      error: { code: -32_600, message: expect.stringMatching(/^The id [57] is in use/) },
    });
  }
  expect(there.actions).toEqual([]);
  const other = await post(call(6, "take_note", { what: "its own id" }));
  expect(await other.text()).toContain('"id":6');
  await there.sessions[0]!.close();
  expect(await first.text()).toContain('"id":5');
  expect(there.actions).toContain("its own id");
});
