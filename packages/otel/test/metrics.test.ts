import { expect, test } from "vitest";
import { echo, openObservedSession, createTool } from "./support/observed-session.ts";

const say = (value: string) => ({ name: "echo", arguments: { value } });

test("counts and measures calls by outcome, with unknown tool names under one label", async () => {
  const { sdk, session } = await openObservedSession({
    tools: [echo, createTool("fail", () => Promise.reject(new Error("no")))],
  });
  for (const value of ["a", "b"]) await session.call(say(value));
  await session.call({ name: "fail" });
  for (let index = 0; index < 5; index++) await session.call({ name: `made_up_${index}` });
  const calls = await sdk.series("haft.tool.calls");
  expect(
    calls.map(({ attributes, count }) => [attributes["gen_ai.tool.name"], attributes["haft.outcome"], count]),
  ).toEqual([
    ["echo", "ok", 2],
    ["fail", "error", 1],
    ["_OTHER", "error", 5],
  ]);
  expect(calls[0]?.attributes).toMatchObject({ "haft.session.kind": "main", "haft.receipt": "none" });
  const durations = await sdk.series("gen_ai.execute_tool.duration");
  expect(durations.map(({ attributes, count }) => [attributes, count])).toEqual([
    [{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo" }, 2],
    [{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "fail", "error.type": "TOOL_FAILED" }, 1],
    [
      { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "_OTHER", "error.type": "UNKNOWN_TOOL" },
      5,
    ],
  ]);
  for (const { sum } of durations) expect(sum).toBeGreaterThan(0);
});

test("counts decisions by layer and measures the time until a person answers", async () => {
  const effects: Record<string, "allow" | "ask" | "deny"> = { echo: "allow", asked: "ask", denied: "deny" };
  const done = () => ({ content: [], details: {} });
  const { sdk, session } = await openObservedSession({
    tools: [echo, createTool("asked", done), createTool("denied", done)],
    decide: ({ name }) => effects[name]!,
  });
  await session.call(say("a"));
  await session.call({ name: "denied" });
  const outcome = await session.call({ name: "asked" });
  expect(await sdk.series("haft.approval.duration")).toEqual([]);
  await session.resolveApproval(outcome.kind === "pending" ? outcome.approvalId : "", "deny");
  expect(
    (await sdk.series("haft.policy.decisions")).map(({ attributes, count }) => [
      ...Object.values(attributes),
      count,
    ]),
  ).toEqual([
    ["echo", "allow", "allow", 1],
    ["denied", "deny", "deny", 1],
    ["asked", "ask", "ask", 1],
  ]);
  expect(await sdk.series("haft.approval.duration")).toMatchObject([
    { attributes: { "gen_ai.tool.name": "asked" }, count: 1 },
  ]);
});

test("counts duplicates and loops, warned and stopped", async () => {
  const once = createTool("once", () => ({ content: [], details: {} }), { effects: ["message"] });
  const { sdk, session } = await openObservedSession({
    tools: [echo, once],
    loopGuard: { repeat: { warn: 2, block: 4 } },
  });
  for (let index = 0; index < 2; index++) await session.call({ name: "once" });
  expect(await sdk.series("haft.tool.duplicates")).toMatchObject([
    { attributes: { "gen_ai.tool.name": "once" }, count: 1 },
  ]);
  for (let index = 0; index < 6; index++) await session.call(say("the same"));
  const loops = await sdk.series("haft.tool.loops");
  expect(loops.map(({ attributes }) => [attributes["haft.code"], attributes["haft.loop"]])).toEqual(
    expect.arrayContaining([
      ["LOOP_REPEAT", "warned"],
      ["LOOP_REPEAT", "stopped"],
    ]),
  );
});
