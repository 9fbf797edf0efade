import type { InspectorEvent } from "@haft/inspector";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { converse, haftHere, start } from "../support/haft.ts";
import { startInspect } from "../support/start-inspect.ts";

test("shows calls of another program from its records, and decides them", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "policy.yaml"), "sessions: { main: { ask: [write] } }\n");
  const { child, page } = await startInspect(cwd, "--act", "--policy", "policy.yaml");
  // To look makes nothing.
  expect(await page.get("/api/runs")).toEqual({ items: [] });
  expect(await page.get("/api/approvals")).toEqual({ waiting: [], grants: [] });
  expect(existsSync(join(getStateFolder(cwd), "haft.db"))).toBe(false);
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  const other = converse(["--no-config", "--policy", "policy.yaml", "--approvals", "wait"], cwd);
  other.send({ id: "w", name: "write", arguments: { path: "a.txt", content: "x" } });
  // It is there a moment before somebody waits for the answer.
  const event = await events.until((one) => one.type === "approval" && one.approval.unattended !== true);
  const { approval } = event as Extract<InspectorEvent, { type: "approval" }>;
  expect(approval).toMatchObject({ tool: { name: "write" }, toolCallId: "w" });
  expect(await page.get(`/api/runs/${approval.runId}`)).toMatchObject({
    state: "held",
    heldBy: { pid: expect.any(Number) },
  });
  const given = await page.post(`/api/approvals/${approval.approvalId}`, { decision: "allow-once" });
  expect(given.body).toMatchObject({ heard: "taken" });
  await events.until((one) => one.type === "call" && one.call.toolCallId === "w" && one.call.stand === "ok");
  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  await events.until((one) => one.type === "approval-over" && one.approvalId === approval.approvalId);
  await other.end();
  await events.until((one) => one.type === "run" && one.run.state === "closed");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
});

test("stores an answer for a program that has ended, and says so", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "policy.yaml"), "sessions: { main: { ask: [write] } }\n");
  const program = () =>
    converse(["--json", "--no-config", "--policy", "policy.yaml", "--approvals", "pending"], cwd);
  const write = { name: "write", arguments: { path: "a.txt", content: "x" } };
  const ended = program();
  ended.send({ id: "w", ...write });
  expect(await ended.answer()).toMatchObject({ kind: "pending" });
  await ended.end();
  const { page } = await startInspect(cwd, "--act");
  const [approval] = (await page.get("/api/approvals")).waiting;
  expect(approval).toMatchObject({ unattended: true });
  const { body } = await page.post(`/api/approvals/${approval.approvalId}`, { decision: "allow-once" });
  expect(body).toMatchObject({ heard: "kept" });
  const again = await page.post(`/api/approvals/${approval.approvalId}`, { decision: "deny" });
  expect([again.status, again.body.error.details.decision]).toEqual([409, "allow-once"]);
  const next = program();
  next.send({ id: "again", ...write });
  expect(await next.answer()).toMatchObject({ kind: "ok" });
  await next.end();
});

test("reports wrong options, and prints its address once", async () => {
  const cwd = await temporaryFolder();
  for (const [args, pattern] of [
    [["--listen", "0.0.0.0"], "--origin is missing"],
    [["--origin", "https://x.example"], "--listen is missing"],
    [["--port", "70000"], "--port is a number"],
    [["page"], 'takes no operands; got "page"'],
  ] as const) {
    const { code, stderr } = await haftHere(["inspect", ...args], { cwd });
    expect({ args, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(pattern) });
  }
  for (const args of [["inspect"], ["serve", "--inspect", "act"], ["chat", "--inspect"]]) {
    const { code, stderr } = await haftHere(args, { cwd, env: { HAFT_PROCESS: "x" } });
    expect({ args, code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("INSIDE_SESSION"),
    });
  }
  const child = start(["inspect", "--no-config"], cwd);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitUntil(() => stdout.includes("Ctrl-C"), { timeout: 60_000 });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w.-]+\nIt is read-only/);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([143, null]);
  expect(stdout.split("#")).toHaveLength(2);
});
