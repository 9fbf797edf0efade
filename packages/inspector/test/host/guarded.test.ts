import type { AuditEntry } from "@haft/config";
import { storeApprovals } from "@haft/guard/internal/agents";
import { openSqliteStore } from "@haft/store";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { openInspectedHost } from "../support/inspector-client.ts";

/** What a hook writes of each call of a session. */
const ofSession = (name: string) => ({
  pid: 1,
  runId: `guard:claude:${name}`,
  sessionKey: `claude:${name}`,
  session: { kind: "main", agentId: "claude", model: "", messageChannel: "", guarded: true } as const,
  seq: 1,
  epoch: 1,
  toolName: "Bash",
});

test("calls of other agents in the audit log appear as separate sessions and are followed", async () => {
  const { host, page, folder } = await openInspectedHost();
  const log = join(getStateFolder(folder), "guard", "watched.jsonl");
  mkdirSync(join(getStateFolder(folder), "guard"), { recursive: true, mode: 0o700 });
  // As a hook writes it.
  const entry = (at: number, command: string, answer: "allow" | "deny", name = "s1"): AuditEntry => ({
    audit: 1,
    at,
    ...ofSession(name),
    toolCallId: `${at}`,
    createdAt: at,
    args: { command },
    guard: { agent: "claude", event: "PreToolUse", folder, answer },
    ...(answer === "allow"
      ? { status: "executing", receipt: "unknown" }
      : { status: "failed", endedAt: at, outcome: "blocked", receipt: "none" }),
  });
  const write = (one: AuditEntry) => {
    const { audit, at, ...rest } = one;
    appendFileSync(log, `{"audit":${audit},"at":${at},${JSON.stringify(rest).slice(1)}\n`, { mode: 0o600 });
  };
  write(entry(1, "ls", "allow"));
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  const [run] = await vi.waitUntil(async () => {
    const { items } = await page.get("/api/runs");
    return items.length > 0 && items;
  });
  expect(run).toMatchObject({ runId: "guard:claude:s1", place: "claude", cwd: folder, calls: 1 });
  write(entry(Date.now() + 1_000, "rm -rf /", "deny"));
  await events.until((event) => event.type === "call" && event.call.runId === run.runId);
  const { items } = await page.get(`/api/calls?run=${encodeURIComponent(run.runId)}&order=oldest`);
  expect(items).toMatchObject([
    { seq: 1, summary: "ls", stand: "ok", receipt: "unknown" },
    { seq: 2, summary: "rm -rf /", stand: "blocked" },
  ]);
  const one = await page.get(`/api/runs/${encodeURIComponent(run.runId)}/calls/1`);
  expect(one).toMatchObject({ args: { command: "ls" }, toolName: "Bash" });

  // By pages, as all others are: those first, then what the ledger has.
  const session = await host.openSession({ sessionKey: "own" });
  await session.call({ name: "ls", arguments: {} });
  for (const name of ["s2", "s3"]) write(entry(Date.now() + 2_000, "pwd", "allow", name));
  await events.until((event) => event.type === "call" && event.call.runId === "guard:claude:s3");
  const pages: string[][] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const path = `/api/runs?limit=2${after && `&after=${encodeURIComponent(after)}`}`;
    const part: { items: { sessionKey: string }[]; next?: string } = await page.get(path);
    pages.push(part.items.map(({ sessionKey }) => sessionKey));
    after = part.next;
  }
  expect(pages).toEqual([
    ["claude:s3", "claude:s2"],
    ["claude:s1", "own"],
  ]);
});

test("a call waits for its answer, names the person, and a repeated call settles earlier requests", async () => {
  const { page, folder } = await openInspectedHost();
  const log = join(getStateFolder(folder), "guard", "watched.jsonl");
  mkdirSync(join(getStateFolder(folder), "guard"), { recursive: true, mode: 0o700 });
  const { approvals, close } = openSqliteStore({ path: join(getStateFolder(folder), "haft.db") });
  onTestFinished(close);
  const guard = storeApprovals(approvals);
  const ask = (command: string) =>
    guard.ask({
      payload: {
        agent: "claude",
        sessionKey: "claude:s1",
        toolInput: { command },
        cwd: folder,
        calls: [{ kind: "command", text: command, cwd: folder, shell: "bash" }],
      },
      tool: { id: "claude.Bash", name: "Bash", effects: ["execute"] },
      parts: { command },
      reason: "It runs something.",
      preview: command,
    } as unknown as Parameters<typeof guard.ask>[0]);
  let lines = 0;
  const write = (command: string, more: Partial<AuditEntry>, answered?: "allow" | "deny") => {
    const at = Date.now() + ++lines;
    const { status = "pending", ...rest } = more;
    const entry = {
      ...ofSession("s1"),
      toolCallId: `${lines}`,
      createdAt: at,
      args: { command },
      guard: { agent: "claude", event: "PreToolUse", folder, answer: "deny", ...(answered && { answered }) },
      status,
      ...rest,
    };
    appendFileSync(log, `{"audit":1,"at":${at},${JSON.stringify(entry).slice(1)}\n`, { mode: 0o600 });
  };
  const waits = { outcome: "pending", receipt: "none" } as const;
  const ids: string[] = [];
  for (const command of ["yes", "no", "again", "open"]) {
    const asked = await ask(command);
    if (!("approvalId" in asked)) throw new Error("It is not asked about.");
    ids.push(asked.approvalId);
    write(command, { ...waits, approvalId: asked.approvalId });
  }
  const [yes, no, again] = ids as [string, string, string];
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  const calls = async () => (await page.get("/api/calls?run=guard%3Aclaude%3As1&order=oldest")).items;
  await vi.waitUntil(async () => (await calls()).length === 4, { timeout: 60_000 });
  expect((await calls()).map(({ stand }: { stand: string }) => stand)).toEqual(Array(4).fill("waiting"));
  await approvals.answer(yes, { decision: "allow-once", by: "ann" });
  await approvals.answer(no, { decision: "deny", by: "bob" });
  await events.until(
    (one) => one.type === "call" && one.call.toolCallId === "2" && one.call.stand === "blocked",
  );
  expect(await calls()).toMatchObject([
    { stand: "ok", decidedBy: "ann", receipt: "none" },
    { stand: "blocked", decidedBy: "bob", code: "APPROVAL_DENIED" },
    { stand: "waiting" },
    { stand: "waiting" },
  ]);
  // The answer is used up before this page has seen it: then the log says what it was.
  await approvals.answer(again, { decision: "allow-once" });
  expect(await ask("again")).toEqual({ decided: "allow" });
  write("again", { status: "executing", receipt: "unknown" }, "allow");
  await events.until((one) => one.type === "call" && one.call.toolCallId === "5");
  expect(await calls()).toMatchObject([
    { stand: "ok" },
    { stand: "blocked" },
    { stand: "ok", receipt: "none" },
    { stand: "waiting" },
    { stand: "ok", receipt: "unknown" },
  ]);
});
