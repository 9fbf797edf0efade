import { definePlugin, defineTool, Type } from "@haft/plugin-sdk";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { inspect } from "../../src/host/inspect.ts";
import type { CallRow, InspectorEvent } from "../../src/wire/api.ts";
import { openInspectorClient, openInspectedHost } from "../support/inspector-client.ts";

const isCall = (toolName: string, stand: CallRow["stand"]) => (event: InspectorEvent) =>
  event.type === "call" && event.call.toolName === toolName && event.call.stand === stand;

describe("a session of the same process", () => {
  test("reports its opening, calls, end and output", async () => {
    const { folder, host, page } = await openInspectedHost();
    const events = await page.events();
    await events.until(({ type }) => type === "hello");
    const session = await host.openSession({ sessionKey: "talk" });
    await events.until((event) => event.type === "run" && event.run.sessionKey === "talk");
    writeFileSync(join(folder, "a.txt"), "one\n");
    await session.call({ id: "c1", name: "read", arguments: { path: "a.txt" } });
    await events.until(isCall("read", "ok"));
    const command = "echo begun; until test -e go; do sleep 0.05; done; echo done";
    const running = session.call({ id: "c2", name: "exec", arguments: { command } });
    await events.until((event) => event.type === "output" && event.text.includes("begun"));
    const runId = session.opening;
    const output = `/api/runs/${runId}/calls/c2/output`;
    expect(await page.get(output)).toMatchObject({ text: "begun\n", from: 0, open: true, source: "live" });
    const waiting = page.get(`${output}?from=6&wait=20000`);
    writeFileSync(join(folder, "go"), "");
    await running;
    expect(await waiting).toMatchObject({ from: 6 });
    await events.until(isCall("exec", "ok"));
    await events.until((event) => event.type === "run" && event.run.calls === 2);
    expect(await page.get(`/api/runs/${runId}`)).toMatchObject({ state: "live", calls: 2 });
    const { items } = await page.get(`/api/calls?run=${runId}&order=oldest`);
    expect(items).toMatchObject([
      { toolName: "read", summary: "a.txt", stand: "ok", seq: 1 },
      { toolName: "exec", stand: "ok" },
    ]);
    await session.close();
    await events.until((event) => event.type === "run" && event.run.state === "closed");
  });

  test("lists and finds a reported call at once", async () => {
    const { host, page } = await openInspectedHost();
    const events = await page.events();
    await events.until(({ type }) => type === "hello");
    const session = await host.openSession({ sessionKey: "talk" });
    await session.call({ name: "ls" });
    for (let call = 1; call <= 5; call++) {
      const found = events.until(
        (event) =>
          event.type === "call" && event.call.toolCallId === `c${call}` && event.call.stand === "error",
      );
      await session.call({ id: `c${call}`, name: "read", arguments: { path: `missing-${call}.txt` } });
      await found;
      for (const words of [`&text=missing-${call}`, "&limit=1"]) {
        const { items } = await page.get(`/api/calls?run=${session.opening}${words}`);
        expect(items).toMatchObject([{ toolCallId: `c${call}`, stand: "error" }]);
      }
    }
  });

  test("shows calls that only read while they run, before they are recorded", async () => {
    const go = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      parameters: Type.Object({ why: Type.String() }),
      effects: ["read"],
      async execute() {
        await go.promise;
        return { content: [{ type: "text", text: "over" }], details: {} };
      },
    });
    const { host, page } = await openInspectedHost({
      plugins: [definePlugin({ id: "waiting", tools: [wait] })],
    });
    const session = await host.openSession();
    await session.call({ name: "ls", arguments: { path: "." } });
    await vi.waitUntil(() => session.run);
    const call = session.call({ id: "w", name: "wait", arguments: { why: "to see" } });
    const path = `/api/runs/${session.opening}/calls/w`;
    await vi.waitUntil(() => session.ledger().some(({ toolCallId }) => toolCallId === "w"));
    expect(await page.get(path)).toMatchObject({ stand: "running", args: { why: "to see" } });
    expect((await page.ask(`${path}x`)).status).toBe(404);
    go.resolve();
    await call;
    await vi.waitUntil(async () => (await page.get(path)).stand === "ok");
  });

  test("shows whether the recorded start of a result is its complete text", async () => {
    const say = defineTool({
      name: "say",
      description: "Says so much.",
      parameters: Type.Object({ length: Type.Integer() }),
      effects: ["read"],
      execute: (_id, { length }) => ({ content: [{ type: "text", text: "x".repeat(length) }], details: {} }),
    });
    const { host, page } = await openInspectedHost({
      plugins: [definePlugin({ id: "saying", tools: [say] })],
    });
    const session = await host.openSession();
    for (const length of [5, 1_999, 2_000, 9_000]) {
      await session.call({ id: `s${length}`, name: "say", arguments: { length } });
      await vi.waitUntil(() => session.run);
      const { result } = await page.get(`/api/runs/${session.opening}/calls/s${length}`);
      expect([length, result.kept, result.isTextWhole]).toEqual([
        length,
        "head",
        length < 2_000 || undefined,
      ]);
      expect(result.blocks[0].text).toHaveLength(Math.min(length, 2_000));
    }
  });

  test("appears once, before and after the store exists", async () => {
    const { host, page } = await openInspectedHost();
    const listed = async () =>
      (await page.get("/api/runs")).items.map(({ sessionKey }: { sessionKey: string }) => sessionKey);
    const one = await host.openSession({ sessionKey: "one" });
    expect(await listed()).toEqual(["one"]);
    await one.call({ name: "ls", arguments: { path: "." } });
    await vi.waitUntil(() => one.run);
    expect(await listed()).toEqual(["one"]);
    await host.openSession({ sessionKey: "other" });
    expect(await listed()).toEqual(["other", "one"]);
  });

  test("shows nested calls, repetitions, images and file changes, and reverts these", async () => {
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const outer = defineTool({
      name: "outer",
      label: "Outer",
      description: "Calls another.",
      parameters: Type.Object({}),
      effects: ["read"],
      async execute(_id, _params, _signal, _update, context) {
        await context.call("read", { path: "a.txt" });
        return {
          content: [
            { type: "text", text: "<script>alert(1)</script>\u001b[31mred" },
            { type: "image", data: pixel, mimeType: "image/png" },
          ],
          details: { secret: "x" },
        };
      },
    });
    const plugin = definePlugin({ id: "test", tools: [outer] });
    const { folder, host, page } = await openInspectedHost({
      plugins: [plugin],
      record: "full",
      policy: { allow: ["test/outer", "*"] },
    });
    writeFileSync(join(folder, "a.txt"), "one\n");
    const session = await host.openSession();
    await session.call({ id: "o", name: "outer", arguments: {} });
    await session.call({ id: "w", name: "write", arguments: { path: "a.txt", content: "two\n" } });
    await session.call({ id: "r1", name: "read", arguments: { path: "a.txt" } });
    await session.call({ id: "r2", name: "read", arguments: { path: "a.txt" } });
    const run = session.opening;
    const at = (id: string) => `/api/runs/${run}/calls/${id}`;
    const detail = await page.get(at("o"));
    expect(detail.children).toMatchObject([{ toolName: "read", parentCallId: "o" }]);
    expect(detail.result.blocks).toMatchObject([
      { type: "text", text: "<script>alert(1)</script>\u001b[31mred" },
      { type: "image", mimeType: "image/png" },
    ]);
    const image = await page.ask(`${at("o")}/image?block=1`);
    expect(image.headers["content-type"]).toBe("image/png");
    // The image, and nothing else that this process has in memory.
    expect(image.headers["content-length"]).toBe(String(Buffer.from(pixel, "base64").length));
    expect((await page.ask(`${at("o")}/image?block=0`)).status).toBe(404);
    expect(await page.get(at("w"))).toMatchObject({
      undoable: true,
      files: [{ path: "a.txt", diff: expect.stringContaining("+two") }],
    });
    expect(await page.get(at("r2"))).toMatchObject({ duplicateOf: "r1" });
    expect(await page.get(`${at("w")}/trace`)).toMatchObject({ is: { effect: "allow" } });
    const dry = await page.ask("/api/undo", {
      method: "POST",
      token: page.readOnlyToken,
      body: { runId: run, toolCallId: "w", dryRun: true },
    });
    expect(dry.body).toMatchObject({ dryRun: true, files: [{ path: "a.txt", kind: "modified" }] });
    expect((await page.post("/api/undo", { runId: run, toolCallId: "w" })).body).toMatchObject({
      refused: false,
    });
    expect(await session.call({ name: "read", arguments: { path: "a.txt" } })).toMatchObject({
      content: [{ text: expect.stringContaining("one") }],
    });
    expect((await page.ask(at("nothing"))).status).toBe(404);
  });

  test("a dropped connection continues without loss", async () => {
    const { host, page } = await openInspectedHost();
    const session = await host.openSession();
    const before = await page.events();
    await before.until(({ type }) => type === "hello");
    await session.call({ id: "a", name: "ls", arguments: {} });
    await before.until(isCall("ls", "ok"));
    const lastId = before.ids.at(-1)!;
    before.close();
    for (let index = 0; index < 20; index++)
      await session.call({ id: `n${index}`, name: "ls", arguments: { path: ".", limit: index + 1 } });
    const after = await page.events(lastId);
    await after.until(
      (event) => event.type === "call" && event.call.toolCallId === "n19" && event.call.stand !== "running",
    );
    expect(after.events.some(({ type }) => type === "reset")).toBe(false);
    const ended = after.events.flatMap((event) =>
      event.type === "call" && event.call.endedAt !== undefined ? [event.call.toolCallId] : [],
    );
    expect(new Set(ended).size).toBe(20);
    const numbers = after.ids.slice(1).map((id) => Number(id.split(".")[1]));
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    expect(numbers[0]).toBe(Number(lastId.split(".")[1]) + 1);
  });

  test("an open page fetches its data again after a restart", async () => {
    const { host, page } = await openInspectedHost();
    const events = await page.events();
    await events.until(({ type }) => type === "hello");
    const lastId = events.ids.at(-1)!;
    await page.served.close();
    const again = openInspectorClient(await inspect(host, { act: true }));
    const after = await again.events(lastId);
    expect(await after.until(({ type }) => type === "reset")).toEqual({ type: "reset", why: "restarted" });
  });
});

test("a session keeps its id when its first call is recorded", async () => {
  const { host, page } = await openInspectedHost();
  const session = await host.openSession({ sessionKey: "one" });
  const before = session.opening;
  expect(await page.get(`/api/runs/${before}`)).toMatchObject({ sessionKey: "one" });
  await session.call({ id: "a", name: "write", arguments: { path: "a.txt", content: "a" } });
  await session.flush();
  expect(session.opening).toBe(before);
  expect(await page.get(`/api/runs/${before}`)).toMatchObject({ sessionKey: "one", runId: before });
  expect(await page.get(`/api/runs/${before}/calls/a`)).toMatchObject({ toolCallId: "a" });
});
