import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { serveEndpoint, connectHttp } from "../../support/connect-http.ts";
import { createTestMachine } from "../../support/machine.ts";

const MODERN = "2026-07-28";
const look = { name: "look", arguments: {} };
const textOf = (result: CallToolResult) => JSON.stringify(result.content);

describe("2026 clients without a conversation name", () => {
  test("sequential conversations do not trigger the loop guard for each other", async () => {
    const { source } = await createTestMachine();
    const served = await serveEndpoint({ t: source });
    for (let conversation = 0; conversation < 8; conversation++) {
      const { client } = await connectHttp(served, { era: MODERN, token: "t" });
      for (let read = 0; read < 10; read++) {
        const result = await client.callTool(look);
        expect(textOf(result)).toContain("nothing to see");
      }
      await client.close();
    }
  });

  test("parallel conversations do not trigger the loop guard for each other", async () => {
    const { source } = await createTestMachine();
    const served = await serveEndpoint({ t: source });
    const conversations = Array.from({ length: 12 }, async () => {
      const { client } = await connectHttp(served, { era: MODERN, token: "t" });
      for (let read = 0; read < 5; read++) expect(textOf(await client.callTool(look))).toContain("nothing");
    });
    await Promise.all(conversations);
  });

  test("each client has its own session, identified by its name and version", async () => {
    const { source, sessions } = await createTestMachine();
    const served = await serveEndpoint({ t: source });
    for (const name of ["claude", "codex", "claude"]) {
      const { client } = await connectHttp(served, { era: MODERN, token: "t", name });
      await client.callTool(look);
    }
    expect(sessions.map((session) => session.ledger().length)).toEqual([2, 1]);
  });
});

test("the loop guard stops only the named conversation that repeats itself", async () => {
  const { source } = await createTestMachine();
  const served = await serveEndpoint({ t: source });
  const { client } = await connectHttp(served, { era: MODERN, token: "t", session: "a" });
  const texts: string[] = [];
  for (let read = 0; read < 12; read++) texts.push(textOf(await client.callTool(look)));
  expect(texts.at(-1)).toContain("gave the same result");
  const other = await connectHttp(served, { era: MODERN, token: "t", session: "b" });
  expect(textOf(await other.client.callTool(look))).toContain("nothing to see");
});

describe.each(["2025-11-25", MODERN] as const)("the session limit of a token, %s", (era) => {
  /** Opens a conversation. Those of 2026 have names. */
  const opener = (served: Awaited<ReturnType<typeof serveEndpoint>>) => {
    let opened = 0;
    return async () => (await connectHttp(served, { era, token: "t", session: `c${++opened}` })).client;
  };

  test("closes the longest idle conversation without a request of its client", async () => {
    const { source, sessions } = await createTestMachine();
    const served = await serveEndpoint({ t: source }, { limits: { sessions: 4 } });
    const open = opener(served);
    for (let conversation = 0; conversation < 12; conversation++) {
      const client = await open();
      expect(textOf(await client.callTool(look))).toContain("nothing to see");
      await client.close();
    }
    expect(sessions).toHaveLength(12);
    const closed = await Promise.all(sessions.map(async (one) => (await one.call(look)).kind === "error"));
    expect(closed).toEqual([...Array(8).fill(true), ...Array(4).fill(false)]);
  });

  test("keeps a conversation whose call waits for a decision", async () => {
    const { source, sessions } = await createTestMachine({ sessions: { main: { ask: ["take_note"] } } });
    const served = await serveEndpoint({ t: source }, { limits: { sessions: 3 } });
    const open = opener(served);
    const waiting = await open();
    const waitingResult = await waiting.callTool({ name: "take_note", arguments: { what: "milk" } });
    expect(textOf(waitingResult)).toContain("haft approvals answer");
    await waiting.close();
    for (let conversation = 0; conversation < 5; conversation++) {
      const client = await open();
      await client.callTool(look);
      await client.close();
    }
    expect(sessions[0]!.pendingApprovals()).toHaveLength(1);
  });

  test("keeps conversations with background work, and rejects a new one if all have some", async () => {
    const there = await createTestMachine();
    const source = { ...there.source, isBusy: async () => true };
    const served = await serveEndpoint({ t: source }, { limits: { sessions: 2 } });
    const open = opener(served);
    for (const client of [await open(), await open()]) await client.callTool(look);
    await expect(open().then((client) => client.callTool(look))).rejects.toThrow(/in use|did not offer/);
    expect((await there.sessions[0]!.call({ name: "look" })).kind).toBe("ok");
  });

  test("parallel requests open no more sessions than the limit", async () => {
    const { source, sessions } = await createTestMachine();
    const served = await serveEndpoint({ t: source }, { limits: { sessions: 3 } });
    const open = opener(served);
    // One that has made no call yet may have to make room.
    await Promise.allSettled(Array.from({ length: 9 }, async () => (await open()).callTool(look)));
    const stillOpen = await Promise.all(sessions.map(async (one) => (await one.call(look)).kind === "ok"));
    expect(stillOpen.filter(Boolean).length).toBeLessThanOrEqual(3);
  });
});
