import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openInspectedHost } from "../support/inspector-client.ts";

describe("tools", () => {
  test("are listed with schemas, cost and missing tools, and explained without running", async () => {
    const { page } = await openInspectedHost({ policy: { deny: ["bash"] } });
    const view = await page.get("/api/tools?kind=main");
    const read = view.tools.find(({ name }: { name: string }) => name === "read");
    expect(read).toMatchObject({
      id: "files/read",
      builtIn: true,
      parameters: { required: ["path"] },
      cell: { word: "allow" },
    });
    expect(read.tokens).toBeGreaterThan(20);
    expect(view.tokens).toBeGreaterThan(read.tokens);
    expect(view.missing).toMatchObject([{ name: "bash", code: "POLICY_DENIED", fix: expect.any(String) }]);
    expect(view.plugins.every(({ builtIn }: { builtIn: boolean }) => builtIn)).toBe(true);
    const said = await page.ask("/api/explain", {
      method: "POST",
      token: page.readOnlyToken,
      body: { tool: "bash" },
    });
    expect(said.body).toMatchObject({ found: "hidden", verdict: "hidden" });
  });

  test("are called by hand in a temporary folder, with the host's rules, and do not change the workspace", async () => {
    const { page, folder } = await openInspectedHost({ policy: { sessions: { main: { ask: ["write"] } } } });
    const { body: scratch } = await page.post("/api/scratch", { files: { "in/a.txt": "one\n" } });
    expect(scratch.folder).not.toContain(folder);
    const at = `/api/scratch/${scratch.id}`;
    const read = await page.post(`${at}/call`, { tool: "read", args: { path: "in/a.txt" } });
    expect(read.body).toMatchObject({ kind: "ok", content: [{ text: expect.stringContaining("one") }] });
    const write = await page.post(`${at}/call`, { tool: "write", args: { path: "b.txt", content: "two\n" } });
    expect(write.body).toMatchObject({
      kind: "pending",
      approval: { tool: { name: "write" }, preview: [expect.anything()] },
    });
    const { approvalId } = write.body.approval;
    const allowed = await page.post(`${at}/allow`, { approvalId, allow: true });
    expect(allowed.body).toMatchObject({ kind: "ok", files: [{ path: "b.txt" }] });
    expect(readFileSync(join(scratch.folder, "b.txt"), "utf8")).toBe("two\n");
    expect(
      (await page.post(`${at}/call`, { tool: "read", args: { path: `${folder}/x` } })).body.kind,
    ).not.toBe("ok");
    expect((await page.get("/api/calls")).items).toEqual([]);
    expect((await page.ask(at, { method: "DELETE" })).body).toEqual({ closed: true });
    expect((await page.post(`${at}/call`, { tool: "ls", args: {} })).status).toBe(404);
    expect((await page.post("/api/scratch", { files: { "../out.txt": "x" } })).body.error.code).toBe(
      "INSPECT_SCRATCH",
    );
  });
});

describe("commands", () => {
  test("can be attached to, written to and ended through the tool and rules of their session", async () => {
    const { page, host } = await openInspectedHost();
    const events = await page.events();
    const session = await host.openSession({ sessionKey: "talk" });
    const command = "echo ready; read line; echo got $line; sleep 600";
    await session.call({ id: "e", name: "exec", arguments: { command, background: true, pty: true } });
    const process = await vi.waitUntil(async () => (await page.get("/api/processes")).items[0]);
    expect(process).toMatchObject({ state: "running", live: true, sessionKey: "talk", pty: true });
    const at = `/api/runs/${process.runId}/processes/${process.id}`;
    const output = async () => {
      const { chunks } = await page.get(`${at}/output?from=0`);
      return chunks
        .map(({ base64 }: { base64: string }) => Buffer.from(base64, "base64").toString())
        .join("");
    };
    await vi.waitUntil(async () => (await output()).includes("ready"));
    expect((await page.post(`${at}/write`, { text: "hello\r" })).body).toMatchObject({ kind: "ok" });
    await vi.waitUntil(async () => (await output()).includes("got hello"));
    expect((await page.post(`${at}/resize`, { cols: 100, rows: 30 })).body).toEqual({ resized: true });
    expect((await page.post(`${at}/kill`, {})).body).toMatchObject({ kind: "ok" });
    await events.until((event) => event.type === "process" && event.process.state === "exited");
    const { items } = await page.get(`/api/calls?run=${process.runId}&tool=process`);
    expect(items).toHaveLength(2);
    expect((await page.post(`/api/runs/${process.runId}/processes/nothing/kill`, {})).status).toBe(404);
  });

  test("have readable output from every source", async () => {
    const { page, host } = await openInspectedHost();
    const session = await host.openSession();
    const command = "seq 1 200000";
    await session.call({ id: "s", name: "exec", arguments: { command } });
    const at = `/api/runs/${session.opening}/calls/s/output`;
    let [text, from, total] = ["", 0, 1];
    for (; from < total;) {
      const part = await page.get(`${at}?from=${from}&max=262144`);
      expect(part).toMatchObject({ source: "process", from, dropped: 0 });
      text += part.text;
      ({ next: from, total } = part);
    }
    expect(text).toBe(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""));
  });

  test("are protected from the page by rules that protect them from a session", async () => {
    const { page, host } = await openInspectedHost({ policy: { deny: ["process:kill"] } });
    const session = await host.openSession();
    await session.call({ name: "exec", arguments: { command: "sleep 600", background: true } });
    const process = await vi.waitUntil(async () => (await page.get("/api/processes")).items[0]);
    const killed = await page.post(`/api/runs/${process.runId}/processes/${process.id}/kill`, {});
    expect(killed.body).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  });
});

describe("the ledger", () => {
  test("can be searched, compared and exported, with masked secrets", async () => {
    const { page, host, folder } = await openInspectedHost({ record: "full" });
    writeFileSync(join(folder, "a.txt"), "one\n");
    const token = `ghp_${"a1B2".repeat(9)}`;
    const first = await host.openSession({ sessionKey: "first" });
    await first.call({ id: "1", name: "read", arguments: { path: "a.txt" } });
    await first.call({ id: "2", name: "ls", arguments: {} });
    await first.call({ id: "3", name: "grep", arguments: { pattern: token } });
    writeFileSync(join(folder, "a.txt"), "two\n");
    const second = await host.openSession({ sessionKey: "second" });
    await second.call({ id: "1", name: "read", arguments: { path: "a.txt" } });
    await second.call({ id: "x", name: "find", arguments: { pattern: "*.txt" } });
    await second.call({ id: "2", name: "ls", arguments: {} });
    // What only reads opens its run a moment later.
    await vi.waitUntil(() => first.run && second.run);
    const [a, b] = [first.opening, second.opening];
    await Promise.all([first.close(), second.close()]);
    expect((await page.get("/api/calls?text=a.txt%20READ")).items).toHaveLength(2);
    expect((await page.get(`/api/calls?text=${token}`)).items).toEqual([]);
    const compared = await page.get(`/api/ledger/compare?a=${a}&b=${b}`);
    expect(compared.counts).toEqual({ same: 1, differs: 1, unsaid: 0, "only-a": 1, "only-b": 1 });
    expect(compared.rows[0]).toMatchObject({
      verdict: "differs",
      a: { toolName: "read" },
      diff: expect.stringContaining("+"),
    });
    for (const format of ["html", "json", "jsonl"]) {
      const { status, text, headers } = await page.ask(`/api/ledger/export?run=${a}&format=${format}`);
      expect({ format, status, has: text.includes("a.txt"), secret: text.includes(token) }).toEqual({
        format,
        status: 200,
        has: true,
        secret: false,
      });
      expect(headers["content-disposition"]).toMatch(/^attachment/);
    }
    expect((await page.ask("/api/ledger/export?format=html")).status).toBe(400);
    expect((await page.ask(`/api/ledger/compare?a=${a}&b=nothing`)).status).toBe(404);
  });

  test("restores files of a closed session like haft undo", async () => {
    const { page, host, folder } = await openInspectedHost();
    writeFileSync(join(folder, "a.txt"), "one\n");
    const session = await host.openSession({ sessionKey: "talk" });
    await session.call({ id: "w", name: "write", arguments: { path: "a.txt", content: "two\n" } });
    const runId = session.opening;
    await session.close();
    expect((await page.post("/api/undo", { runId, toolCallId: "nothing" })).status).toBe(404);
    const undone = await page.post("/api/undo", { runId, toolCallId: "w" });
    expect(undone.body).toMatchObject({ refused: false, files: [{ path: "a.txt" }] });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    expect((await page.get("/api/calls?session=talk")).items[0]).toMatchObject({ isUndo: true });
  });
});

test("lists capabilities of an agent for a kind of session and for one session", async () => {
  const { page, host, folder } = await openInspectedHost({
    policy: { sessions: { main: { ask: ["exec"] } } },
  });
  mkdirSync(join(folder, "sub"));
  const session = await host.openSession({ sessionKey: "talk" });
  await session.call({ name: "ls", arguments: {} });
  await session.flush();
  const facts = await page.get(`/api/abilities?run=${session.opening}`);
  expect(facts).toMatchObject({
    session: { kind: "main", sessionKey: "talk" },
    folders: [{ path: folder, access: "rw" }],
    type: "session",
    state: "open",
    abilities: {
      read: { answer: "yes" },
      write: {
        answer: "yes",
        means: [
          { means: "files", answer: "yes", tools: ["write", "edit", "apply_patch"] },
          { means: "commands", answer: "asks", tools: ["exec", "bash"] },
        ],
      },
      network: { answer: "asks", means: [{ means: "commands" }] },
    },
    record: { mode: "plan", undo: true, audit: false },
  });
  expect(facts.tools.find(({ name }: { name: string }) => name === "exec")).toMatchObject({ word: "ask" });
  expect((await page.get("/api/abilities?kind=sandboxed")).commands.where).toBe("sandbox");
  expect((await page.get("/api/places")).commands).toHaveLength(3);
  expect((await page.ask("/api/abilities?run=nothing")).status).toBe(404);
});

test("removes a playground that opens while the inspector closes, and opens at most eight at once", async () => {
  const { page } = await openInspectedHost();
  const opened = await Promise.all(Array.from({ length: 10 }, () => page.post("/api/scratch", {})));
  const folders = opened.flatMap(({ status, body }) => (status === 200 ? [body.folder] : []));
  expect(folders).toHaveLength(8);
  expect(opened.filter(({ status }) => status !== 200).map(({ body }) => body.error.code)).toEqual([
    "INSPECT_SCRATCH",
    "INSPECT_SCRATCH",
  ]);
  await page.served.close();
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
});
