import type { ApprovalRequestRecord } from "@haft/core";
import { createMemoryApprovals, createMemoryStore } from "@haft/core/kernel";
import { expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { runAgent } from "../../src/index.ts";
import { openAgentSession } from "../support/agent-session.ts";
import { openScriptedModel } from "../support/scripted-model.ts";

const rules = { ask: ["note"] };
const turns = [{ calls: [{ name: "note", arguments: { text: "a" } }] }, { text: "Well." }];

/** What the model read of its call. */
const read = async (endpoint: Awaited<ReturnType<typeof openScriptedModel>>["endpoint"]) =>
  endpoint.requests.at(-1)?.results.map(({ text }) => text);

test.each([
  ["allow-once", ["a"], /^noted a$/],
  ["deny", [], /denied/],
] as const)("a person's answer %s decides the call", async (decision, noted, words) => {
  const opened = await openAgentSession({ rules });
  const { model, endpoint } = await openScriptedModel(turns);
  const asked: ApprovalRequestRecord[] = [];
  const ask = async (request: ApprovalRequestRecord) => {
    asked.push(request);
    return { decision };
  };
  const result = await runAgent({ session: opened.session, model, prompt: "Go.", ask });
  expect(result).toMatchObject({ ended: "done", text: "Well." });
  expect(asked).toMatchObject([{ tool: { name: "note" }, args: { text: "a" } }]);
  expect(opened.noted).toEqual(noted);
  expect((await read(endpoint))?.[0]).toMatch(words);
  expect(opened.session.pendingApprovals()).toEqual([]);
});

test("without `ask`, the model reads that the call waits, and a later answer runs it", async () => {
  const { session, noted } = await openAgentSession({ rules });
  const { model, endpoint } = await openScriptedModel(turns);
  await runAgent({ session, model, prompt: "Go." });
  expect((await read(endpoint))?.[0]).toMatch(/approval/);
  const [request] = session.pendingApprovals();
  expect(await session.resolveApproval(request!.approvalId, "allow-once")).toMatchObject({ kind: "ok" });
  expect(noted).toEqual(["a"]);
});

test("if `ask` throws, the call continues to wait", async () => {
  const { session, noted } = await openAgentSession({ rules });
  const { model } = await openScriptedModel(turns);
  const ask = () => Promise.reject(new Error("The terminal is gone."));
  expect(await runAgent({ session, model, prompt: "Go.", ask })).toMatchObject({ ended: "done" });
  expect(session.pendingApprovals()).toHaveLength(1);
  expect(noted).toEqual([]);
});

test("an answer from elsewhere decides first and aborts the question", async () => {
  const { session, noted } = await openAgentSession({ rules });
  const { model, endpoint } = await openScriptedModel(turns);
  let aborted = false;
  const ask = (request: ApprovalRequestRecord, signal: AbortSignal) => {
    setImmediate(() => void session.resolveApproval(request.approvalId, "allow-once"));
    return new Promise<undefined>((resolve) =>
      signal.addEventListener("abort", () => {
        aborted = true;
        resolve(undefined);
      }),
    );
  };
  expect(await runAgent({ session, model, prompt: "Go.", ask })).toMatchObject({ ended: "done" });
  expect(aborted).toBe(true);
  expect(noted).toEqual(["a"]);
  expect(await read(endpoint)).toEqual(["noted a"]);
});

test("a call that waits at the end of a run is made by the next session of the conversation", async () => {
  const store = createMemoryStore();
  const approvals = createMemoryApprovals();
  const environment = { rules, store, approvals };
  const { session, noted } = await openAgentSession({ ...environment, open: { sessionKey: "k" } });
  const { model } = await openScriptedModel(turns);
  const stop = new AbortController();
  const ask = () => {
    stop.abort();
    return new Promise<never>(() => {});
  };
  const result = await runAgent({ session, model, prompt: "Go.", ask, signal: stop.signal });
  expect(result.ended).toBe("aborted");
  const [request] = session.pendingApprovals();
  await session.close();
  expect(noted).toEqual([]);
  expect(await approvals.requests()).toMatchObject([{ approvalId: request!.approvalId }]);
  await approvals.answer(request!.approvalId, { decision: "allow-once" });
  const next = await openAgentSession({ ...environment, open: { sessionKey: "k", resume: true } });
  await until("the call was made", () => next.noted.length > 0);
  expect(next.noted).toEqual(["a"]);
  await until("it is in the ledger", () => next.session.ledger()[0]?.status === "completed");
});

test("closing the session ends the wait for a person", async () => {
  const { session } = await openAgentSession({
    rules,
    store: createMemoryStore(),
    approvals: createMemoryApprovals(),
  });
  const { model } = await openScriptedModel(turns);
  const ask = () => {
    setImmediate(() => void session.close());
    return new Promise<never>(() => {});
  };
  const result = await runAgent({ session, model, prompt: "Go.", ask });
  expect(result.ended).toBe("done");
  expect(session.ledger()).toMatchObject([{ toolName: "note", status: "pending" }]);
});
