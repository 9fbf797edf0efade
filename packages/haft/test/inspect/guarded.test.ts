import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { AuditEntry } from "../../src/index.ts";
import { stateFolderOf } from "../support/haft.ts";
import { inspected } from "../support/inspected.ts";

test("calls of other people's agents, which are in the audit log alone, are sessions of their own, and followed", async () => {
  const { page, folder } = await inspected();
  const log = join(stateFolderOf(folder), "guard", "watched.jsonl");
  mkdirSync(join(stateFolderOf(folder), "guard"), { recursive: true, mode: 0o700 });
  // As a hook writes it.
  const entry = (at: number, command: string, answer: "allow" | "deny"): AuditEntry => ({
    audit: 1,
    at,
    pid: 1,
    runId: "guard:claude:s1",
    sessionKey: "claude:s1",
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
});
