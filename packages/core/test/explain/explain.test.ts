import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { openAskingSession, createStore } from "../support/approvals.ts";
import {
  answer,
  getCode,
  echo,
  factoryPlugin,
  makeFactory,
  makeTool,
  openSession,
  createPlugin,
  createTestPolicy,
  stubWorkspace,
} from "../support/kernel.ts";

const value = { value: "a" };

describe("an explanation", () => {
  test("predicts runs, approvals and denials without an effect", async () => {
    const policy = createTestPolicy({
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

  test("reports invalid arguments and a missing tool", async () => {
    const session = await openSession({ tools: [echo()] });
    expect(await session.explain("echo", { value: 1, b: 2 })).toMatchObject({ verdict: "invalid-arguments" });
    expect(await session.explain("ecco")).toMatchObject({
      found: "unknown",
      verdict: "unknown",
      nearest: ["echo"],
    });
  });

  test("describes the tool if there are no arguments", async () => {
    const session = await openSession({ tools: [echo()] });
    expect(await session.explain("echo")).toMatchObject({
      verdict: "runs",
      visibility: { effect: "allow" },
      call: { effect: "allow" },
    });
  });

  test("consists of plain data", async () => {
    const session = await openSession({ tools: [echo()] });
    const explanation = await session.explain("echo", value);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });
});

test("returns a preview of a session without opening it or storing anything", async () => {
  const signals: AbortSignal[] = [];
  const plugin = factoryPlugin("p", ["echo"], ({ signal }) => {
    signals.push(signal);
    return echo();
  });
  const factory = makeFactory({ plugins: [plugin], policy: createTestPolicy({ call: () => "ask" }) });
  const preview = await factory.preview({ kind: "sandboxed", workspace: stubWorkspace() });
  expect(preview.tools()).toMatchObject([{ name: "echo" }]);
  expect(preview.missing()).toEqual([]);
  expect(await preview.explain("echo", value)).toMatchObject({
    verdict: "asks",
    session: { kind: "sandboxed" },
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

describe("its agreement with the call", () => {
  test("covers loops, also for volatile arguments and full names", async () => {
    const tool = makeTool("poll", {
      parameters: Type.Object({ wait: Type.Integer() }),
      progress: { volatileArguments: ["wait"] },
    });
    const plugins = [createPlugin("a", [makeTool("poll")]), createPlugin("b", [tool])];
    const session = await openSession({ plugins });
    for (let wait = 0; wait < 10; wait++) {
      expect(await session.explain("b/poll", { wait })).toMatchObject({ verdict: "runs" });
      expect(getCode(await session.call({ name: "b/poll", arguments: { wait } }))).toBe("ok");
    }
    expect(await session.explain("b/poll", { wait: 99 })).toMatchObject({ verdict: "loop" });
    expect(getCode(await session.call({ name: "b/poll", arguments: { wait: 99 } }))).toBe("LOOP_REPEAT");
  });

  test("covers duplicates", async () => {
    const session = await openSession({ tools: [echo("send", { effects: ["message"] })] });
    await session.call({ name: "send", arguments: value });
    expect(await session.explain("send", value)).toMatchObject({
      verdict: "loop",
      reason: expect.stringContaining("already succeeded"),
    });
    expect(await session.explain("send", { value: "b" })).toMatchObject({ verdict: "runs" });
  });

  test("covers grants", async () => {
    const session = await openSession({ tools: [echo()], policy: createTestPolicy({ call: () => "ask" }) });
    expect(await session.explain("echo", value)).toMatchObject({ verdict: "asks" });
    const { approvalId } = (await session.call({ name: "echo", arguments: value })) as { approvalId: string };
    expect(await session.explain("echo", value)).toMatchObject({
      verdict: "denied",
      reason: expect.stringContaining("already waits for approval"),
    });
    await session.resolveApproval(approvalId, "allow-always");
    expect(await session.explain("echo", value)).toMatchObject({ verdict: "runs" });
    expect(await session.explain("echo", { value: "b" })).toMatchObject({ verdict: "asks" });
  });

  test("leaves no trace: an explained cycle is not stopped", async () => {
    const session = await openSession({ tools: [echo()] });
    for (let i = 0; i < 13; i++)
      await session.call({ name: "echo", arguments: { value: i % 2 === 0 ? "a" : "b" } });
    expect(await session.explain("echo", { value: "b" })).toMatchObject({ verdict: "loop" });
    expect(getCode(await session.call({ name: "echo", arguments: { value: "a" } }))).toBe("ok");
  });
});

describe("the content of an explanation", () => {
  test("names hooks and shows the plan with invisible characters escaped", async () => {
    const digits = "1a2B3c4D5e6F7g8H9i0J".repeat(2);
    const tool = makeTool("act", {
      parameters: Type.Object({ value: Type.String() }),
      plan: () => ({
        preview: [{ type: "text", text: `run\u200b ghp_${digits}` }],
        subjects: { action: "x" },
      }),
    });
    let asked = 0;
    const hooks = [{ name: "office", beforeToolCall: () => void asked++ }];
    const session = await openSession({ tools: [tool], hooks });
    const explanation = await session.explain("act", { value: "a" });
    expect(explanation).toMatchObject({
      verdict: "runs",
      plan: { subjects: { action: "x" }, preview: [{ text: "run\\u{200b} [secret]" }] },
    });
    expect(explanation.trace).toContainEqual(
      expect.objectContaining({ stage: "hooks", source: "hook office" }),
    );
    expect(asked).toBe(0);
  });

  test("does not depend on a working store", async () => {
    const fail = () => Promise.reject(new Error("disk full"));
    const { session } = await openAskingSession({ approvals: createStore({ grants: fail }) });
    expect(await session.explain("act", { value: "a" })).toMatchObject({ verdict: "asks" });
  });

  test("names the place of the session", async () => {
    const sandbox = { mount: "ro", network: "none" } as const;
    const session = await openSession({
      tools: [echo()],
      open: { kind: "sandboxed", workspace: stubWorkspace("sandbox"), sandbox },
    });
    const { trace } = await session.explain("echo", { value: "a" });
    expect(trace[0]).toMatchObject({ stage: "place", rule: "acts on the sandbox (mount ro, network none)" });
  });

  test.each([
    [{ mode: "workspace", network: "none" }, "writes in the workspace, network none"],
    [
      { mode: "workspace", network: ["example.com", "*.example.org"] },
      "writes in the workspace, network example.com *.example.org",
    ],
    [{ mode: "read-only", network: "full" }, "read-only, network full"],
  ] as const)("describes the view of contained commands: %j", async (containment, words) => {
    const workspace = stubWorkspace();
    const describe = () => ({ ...workspace.describe(), containment });
    const session = await openSession({ tools: [echo()], open: { workspace: { ...workspace, describe } } });
    const { trace } = await session.explain("echo", { value: "a" });
    expect(trace[0]).toMatchObject({
      stage: "place",
      rule: `acts on the host (boundary none; commands contained: ${words}); its own code has the rights of the host`,
    });
  });
});
