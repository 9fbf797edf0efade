import type { InspectorEvent } from "@haft/inspector";
import { describe, expect, test, vi } from "vitest";
import { openInspectedHost } from "../support/inspector-client.ts";

describe("approvals", () => {
  const asks = { policy: { sessions: { main: { ask: ["write", "exec"] } } } } as const;

  test("a waiting call shows its plan, runs after approval, and reports the first decision to a second person", async () => {
    const { host, page } = await openInspectedHost({ ...asks, approvalMode: "wait" });
    const events = await page.events();
    const session = await host.openSession({ sessionKey: "talk" });
    const call = session.call({ id: "w", name: "write", arguments: { path: "a.txt", content: "x\n" } });
    const event = await events.until(({ type }) => type === "approval");
    const { approvalId } = (event as Extract<InspectorEvent, { type: "approval" }>).approval;
    const { waiting } = await page.get("/api/approvals");
    expect(waiting).toMatchObject([
      {
        approvalId,
        toolCallId: "w",
        tool: { name: "write" },
        summary: expect.stringContaining("a.txt"),
        preview: [expect.anything()],
      },
    ]);
    const both = await Promise.all(
      ["allow-once", "deny"].map((decision) => page.post(`/api/approvals/${approvalId}`, { decision })),
    );
    const [first, second] = both.toSorted((one, other) => one.status - other.status);
    expect(first).toMatchObject({ status: 200, body: { heard: "taken" } });
    expect(second).toMatchObject({
      status: 409,
      body: {
        error: { code: "APPROVAL_DECIDED", details: { decision: first!.body.decision, by: "the inspector" } },
      },
    });
    expect((await call).kind).toBe(first!.body.decision === "deny" ? "blocked" : "ok");
    expect(await events.until(({ type }) => type === "approval-over")).toMatchObject({
      approvalId,
      decision: first!.body.decision,
      by: "the inspector",
    });
    expect((await page.get(`/api/runs/${session.opening}/calls/w`)).decidedBy).toBe("the inspector");
    expect((await page.post("/api/approvals/zzzz9999", { decision: "deny" })).status).toBe(404);
  });

  test("a read-only token gets the preview of a waiting call with masked secrets", async () => {
    const { host, page } = await openInspectedHost({ ...asks, approvalMode: "wait" });
    const secret = `ghp_${"0123456789".repeat(4)}`;
    const [reading, deciding] = [await page.readOnlyEvents(), await page.events()];
    const session = await host.openSession({ sessionKey: "talk" });
    const call = session.call({ name: "exec", arguments: { command: `echo ${secret}` } });
    const isApproval = ({ type }: InspectorEvent) => type === "approval";
    const [masked, whole] = [await reading.until(isApproval), await deciding.until(isApproval)];
    const listed = await page.ask("/api/approvals", { token: page.readOnlyToken });
    expect(JSON.stringify([masked, listed.body])).not.toContain(secret);
    expect(JSON.stringify(whole)).toContain(secret);
    const { waiting } = await page.get("/api/approvals");
    await page.post(`/api/approvals/${waiting[0].approvalId}`, { decision: "deny" });
    await call;
  });

  test("a permanent grant is listed and can be revoked", async () => {
    const { host, page } = await openInspectedHost({ ...asks, approvalMode: "pending" });
    const session = await host.openSession({ sessionKey: "talk" });
    const args = { path: "a.txt", content: "x\n" };
    const outcome = await session.call({ name: "write", arguments: args });
    if (outcome.kind !== "pending") throw new Error(`it is ${outcome.kind}`);
    const [{ offers }] = (await page.get("/api/approvals")).waiting;
    expect(offers.length).toBeGreaterThan(0);
    const refused = await page.post(`/api/approvals/${outcome.approvalId}`, {
      decision: "allow-always",
      grant: "program",
    });
    expect(refused.body.error.code).toBe("INVALID_DECISION");
    expect(
      (await page.post(`/api/approvals/${outcome.approvalId}`, { decision: "allow-always" })).status,
    ).toBe(200);
    const grants = await vi.waitUntil(async () => {
      const { grants: all } = await page.get("/api/approvals");
      return all.length > 0 && all;
    });
    expect((await page.ask(`/api/grants/${grants[0].id}`, { method: "DELETE" })).body).toEqual({
      revoked: true,
    });
    expect((await page.ask(`/api/grants/${grants[0].id}`, { method: "DELETE" })).body).toEqual({
      revoked: false,
    });
  });

  test("a host without records shows open sessions and their requests", async () => {
    const { host, page } = await openInspectedHost({ ...asks, stateDir: false, approvalMode: "wait" });
    const session = await host.openSession({ sessionKey: "talk" });
    await session.call({ id: "l", name: "ls", arguments: {} });
    const call = session.call({ id: "w", name: "write", arguments: { path: "a.txt", content: "x\n" } });
    const approval = await vi.waitUntil(async () => (await page.get("/api/approvals")).waiting[0]);
    expect(await page.get("/api/runs")).toMatchObject({
      items: [{ sessionKey: "talk", state: "live", calls: 2 }],
    });
    expect((await page.get("/api/calls?order=oldest")).items).toMatchObject([
      { toolCallId: "l" },
      { toolCallId: "w", stand: "waiting" },
    ]);
    expect(
      (await page.post(`/api/approvals/${approval.approvalId}`, { decision: "allow-once" })).body.heard,
    ).toBe("taken");
    expect((await call).kind).toBe("ok");
    expect((await page.post(`/api/approvals/${approval.approvalId}`, { decision: "deny" })).status).toBe(409);
  });
});
