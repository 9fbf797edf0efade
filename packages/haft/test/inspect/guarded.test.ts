import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { AuditEntry } from "../../src/index.ts";
import { stateFolderOf } from "../support/haft.ts";
import { inspected } from "../support/inspected.ts";

test("calls of other people's agents, which are in the audit log alone, are sessions of their own, and followed", async () => {
  const { host, page, folder } = await inspected();
  const log = join(stateFolderOf(folder), "guard", "watched.jsonl");
  mkdirSync(join(stateFolderOf(folder), "guard"), { recursive: true, mode: 0o700 });
  // As a hook writes it.
  const entry = (at: number, command: string, answer: "allow" | "deny", name = "s1"): AuditEntry => ({
    audit: 1,
    at,
    pid: 1,
    runId: `guard:claude:${name}`,
    sessionKey: `claude:${name}`,
    session: { kind: "main", agentId: "claude", model: "", messageChannel: "", guarded: true },
    seq: 1,
    epoch: 1,
    toolCallId: `${at}`,
    toolName: "Bash",
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
