import { describe, expect, test } from "vitest";
import { Type } from "@sinclair/typebox";
import {
  answer,
  codeOf,
  echo,
  factoryPlugin,
  makeFactory,
  makeTool,
  openSession,
  pluginOf,
  policyOf,
  stubWorkspace,
} from "./support/kernel.ts";

const value = { value: "a" };

describe("an explanation says what a call would do, and does nothing", () => {
  test("runs, is asked about, is denied", async () => {
    const policy = policyOf({
      call: (_tool, args) =>
        ({ a: "allow", b: "ask", c: "deny" } as const)[(args as { value: "a" }).value] ?? "allow",
    });
    let runs = 0;
    const session = await openSession({
      tools: [echo("echo", { execute: () => answer(`${++runs}`) })],
      policy,
    });
    expect(await session.explain("echo", { value: "a" })).toMatchObject({
      found: "visible",
      verdict: "runs",
      toolName: "echo",
    });
    expect(await session.explain("echo", { value: "b" })).toMatchObject({
      verdict: "asks",
      call: { effect: "ask", trace: [] },
    });
    expect(await session.explain("echo", { value: "c" })).toMatchObject({
      verdict: "denied",
      reason: "deny everything",
    });
    expect(await session.explain("Echo", '{"value":"c"}')).toMatchObject({
      asked: "Echo",
      toolName: "echo",
      verdict: "denied",
    });
    expect(runs).toBe(0);
    expect(session.ledger()).toEqual([]);
  });

  test("invalid arguments, and a tool that is not there", async () => {
    const session = await openSession({ tools: [echo()] });
    expect(await session.explain("echo", { value: 1, b: 2 })).toMatchObject({ verdict: "invalid-arguments" });
    expect(await session.explain("ecco")).toMatchObject({
      found: "unknown",
      verdict: "unknown",
      nearest: ["echo"],
    });
  });

  test("without arguments it speaks of the tool", async () => {
    const session = await openSession({ tools: [echo()] });
    expect(await session.explain("echo")).toMatchObject({
      verdict: "runs",
      visibility: { effect: "allow" },
      call: { effect: "allow" },
    });
  });

  test("is data that can be sent", async () => {
    const session = await openSession({ tools: [echo()] });
    const explanation = await session.explain("echo", value);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });
});

test("a preview shows a session that is not opened, and keeps nothing of it", async () => {
  const signals: AbortSignal[] = [];
  const plugin = factoryPlugin("p", ["echo"], ({ signal }) => {
    signals.push(signal);
    return echo();
  });
  const factory = makeFactory({ plugins: [plugin], policy: policyOf({ call: () => "ask" }) });
  const preview = await factory.preview({ kind: "sandboxed", workspace: stubWorkspace() });
  expect(preview.tools()).toMatchObject([{ name: "echo" }]);
  expect(preview.missing()).toEqual([]);
  expect(await preview.explain("echo", value)).toMatchObject({
    verdict: "asks",
    session: { kind: "sandboxed" },
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

describe("it agrees with what then happens", () => {
  test("about loops, for volatile arguments and full names too", async () => {
    const tool = makeTool("poll", {
      parameters: Type.Object({ wait: Type.Integer() }),
      progress: { volatileArguments: ["wait"] },
    });
    const plugins = [pluginOf("a", [makeTool("poll")]), pluginOf("b", [tool])];
    const session = await openSession({ plugins });
    for (let wait = 0; wait < 10; wait++) {
      expect(await session.explain("b/poll", { wait })).toMatchObject({ verdict: "runs" });
      expect(codeOf(await session.call({ name: "b/poll", arguments: { wait } }))).toBe("ok");
    }
    expect(await session.explain("b/poll", { wait: 99 })).toMatchObject({ verdict: "loop" });
    expect(codeOf(await session.call({ name: "b/poll", arguments: { wait: 99 } }))).toBe("LOOP_REPEAT");
  });

  test("about duplicates", async () => {
    const session = await openSession({ tools: [echo("send", { effects: ["message"] })] });
    await session.call({ name: "send", arguments: value });
    expect(await session.explain("send", value)).toMatchObject({
      verdict: "loop",
      reason: expect.stringContaining("already made"),
    });
    expect(await session.explain("send", { value: "b" })).toMatchObject({ verdict: "runs" });
  });

  test("about what a person allowed for good", async () => {
    const session = await openSession({ tools: [echo()], policy: policyOf({ call: () => "ask" }) });
    expect(await session.explain("echo", value)).toMatchObject({ verdict: "asks" });
    const { approvalId } = (await session.call({ name: "echo", arguments: value })) as { approvalId: string };
    expect(await session.explain("echo", value)).toMatchObject({
      verdict: "denied",
      reason: expect.stringContaining("waits for approval already"),
    });
    await session.resolveApproval(approvalId, "allow-always");
    expect(await session.explain("echo", value)).toMatchObject({ verdict: "runs" });
    expect(await session.explain("echo", { value: "b" })).toMatchObject({ verdict: "asks" });
  });

  test("and asking leaves no trace: a cycle is not stopped by being explained", async () => {
    const session = await openSession({ tools: [echo()] });
    for (let i = 0; i < 13; i++)
      await session.call({ name: "echo", arguments: { value: i % 2 === 0 ? "a" : "b" } });
    expect(await session.explain("echo", { value: "b" })).toMatchObject({ verdict: "loop" });
    expect(codeOf(await session.call({ name: "echo", arguments: { value: "a" } }))).toBe("ok");
  });
});
