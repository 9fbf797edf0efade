import { describe, expect, test } from "vitest";
import { text } from "../../src/contract/result.ts";
import {
  answer,
  getCode,
  echo,
  eventTypes,
  createGate,
  makeFactory,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  stubWorkspace,
  watch,
} from "../support/kernel.ts";

describe("a call", () => {
  test("runs the tool and is in the ledger with its arguments", async () => {
    const session = await openSession({ tools: [echo()] });
    const outcome = await session.call({ id: "1", name: "echo", arguments: { value: "hello" } });
    expect(outcome).toMatchObject({ kind: "ok", toolCallId: "1", toolName: "echo", receipt: "none" });
    expect(getOutcomeText(outcome)).toBe("hello");
    expect(session.ledger()).toMatchObject([
      {
        toolCallId: "1",
        toolName: "echo",
        args: { value: "hello" },
        status: "completed",
        outcome: "ok",
        decisionId: "test-allow",
        receipt: "none",
        result: { content: [text("hello")] },
      },
    ]);
  });

  test("accepts arguments as JSON text", async () => {
    const session = await openSession({ tools: [echo()] });
    const outcome = await session.call({ name: "echo", arguments: '{"value":"hi"}' });
    expect(getOutcomeText(outcome)).toBe("hi");
    expect(session.ledger()[0]).toMatchObject({ toolCallId: "call_1", args: { value: "hi" } });
  });

  test("gets a free id if it has none", async () => {
    const session = await openSession({ tools: [echo()] });
    await session.call({ id: "call_1", name: "echo", arguments: { value: "a" } });
    await session.call({ id: "", name: "echo", arguments: { value: "b" } });
    expect(session.ledger().map(({ toolCallId }) => toolCallId)).toEqual(["call_1", "call_2"]);
  });

  test.for([
    ["committed", ["write"]],
    ["committed", ["read", "network"]],
    ["none", ["read"]],
    ["none", []],
  ] as const)("has the receipt %s if a tool with the effects %j succeeds", async ([receipt, effects]) => {
    const session = await openSession({ tools: [makeTool("act", { effects })] });
    expect(await session.call({ name: "act" })).toMatchObject({ kind: "ok", receipt });
  });

  test("has the receipt that its tool returns", async () => {
    const execute = () => ({ ...answer("unchanged"), receipt: "none" as const });
    const session = await openSession({ tools: [makeTool("act", { effects: ["write"], execute })] });
    expect(await session.call({ name: "act" })).toMatchObject({ kind: "ok", receipt: "none" });
  });

  test("has a long result cut, with the location of the full text", async () => {
    const execute = () => answer("line\n".repeat(100_000));
    const session = await openSession({ tools: [makeTool("long", { execute })], maxResultCharacters: 4000 });
    const outcome = await session.call({ name: "long" });
    expect(getOutcomeText(outcome).length).toBeLessThanOrEqual(4000);
    expect(getOutcomeText(outcome)).toContain("[Cut: 500,000 characters");
    await session.close();
  });
});

describe("close", () => {
  test("refuses later calls, which are not recorded", async () => {
    const session = await openSession({ tools: [echo()] });
    await session.close();
    const outcome = await session.call({ name: "echo", arguments: { value: "a" } });
    expect(outcome).toMatchObject({ kind: "error", code: "SESSION_CLOSED", category: "input" });
    expect(session.ledger()).toEqual([]);
  });

  test("aborts running calls and waits until they are recorded", async () => {
    const session = await openSession({
      tools: [
        makeTool("polite", { effects: ["write"], execute: (_id, _params, signal) => untilAborted(signal) }),
        makeTool("deaf", { effects: ["write"], execute: () => createGate<never>().promise }),
      ],
    });
    const events = watch(session);
    const calls = [session.call({ id: "p", name: "polite" }), session.call({ id: "d", name: "deaf" })];
    await waitUntilSettled();
    await session.close();
    expect(session.ledger()).toMatchObject([
      { toolCallId: "p", status: "failed", outcome: "cancelled", receipt: "unknown" },
      { toolCallId: "d", status: "failed", outcome: "cancelled", receipt: "unknown" },
    ]);
    expect((await Promise.all(calls)).map((outcome) => outcome.kind)).toEqual(["cancelled", "cancelled"]);
    expect(events.at(-1)).toMatchObject({ type: "session-closed" });
    expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(2);
  });

  test("prevents calls that have not begun", async () => {
    let runs = 0;
    const session = await openSession({
      tools: [makeTool("act", { execute: () => answer(`run ${++runs}`) })],
    });
    const call = session.call({ name: "act" });
    await session.close();
    expect(await call).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(runs).toBe(0);
  });

  test("cancels the tool that closes its own session, without a deadlock", async () => {
    const opened: { close(): Promise<void> }[] = [];
    const execute = () => opened[0]!.close().then(() => answer("closed"));
    const session = await openSession({ tools: [makeTool("leave", { execute })] });
    opened.push(session);
    expect(await session.call({ name: "leave" })).toMatchObject({ kind: "cancelled" });
    expect(session.ledger()).toMatchObject([{ status: "failed" }]);
  });

  test("ends once for two calls, which wait for the same end", async () => {
    const session = await openSession({
      tools: [makeTool("deaf", { execute: () => createGate<never>().promise })],
    });
    const events = watch(session);
    void session.call({ name: "deaf" });
    const first = session.close();
    await session.close();
    expect(session.ledger()[0]).toMatchObject({ status: "failed" });
    await first;
    expect(eventTypes(events).filter((type) => type === "session-closed")).toHaveLength(1);
  });

  test("prevents inner calls of a tool", async () => {
    const inner: string[] = [];
    const session = await openSession({
      tools: [
        echo(),
        makeTool("outer", {
          execute: async (_id, _params, signal, _update, context) => {
            await untilAborted(signal).catch(() => {});
            inner.push(getCode(await context.call("echo", { value: "a" })));
            return answer("done");
          },
        }),
      ],
    });
    void session.call({ name: "outer" });
    await waitUntilSettled();
    await session.close();
    expect(inner).toEqual(["SESSION_CLOSED"]);
  });

  test("runs with await using", async () => {
    let ledger;
    {
      await using session = await openSession({
        tools: [makeTool("deaf", { execute: () => createGate<never>().promise })],
      });
      void session.call({ name: "deaf" });
      ledger = session.ledger();
    }
    expect(ledger).toMatchObject([{ status: "failed" }]);
  });

  test("aborts the signal of the session's factories", async () => {
    let signal: AbortSignal | undefined;
    const factory = ({ signal: given }: { signal: AbortSignal }) => {
      signal = given;
      return echo();
    };
    const session = await openSession({ plugins: [{ id: "p", tools: [{ factory, names: ["echo"] }] }] });
    expect(signal!.aborted).toBe(false);
    await session.close();
    expect(signal!.aborted).toBe(true);
  });
});

describe("opening", () => {
  test("never gives a sandboxed session the host", async () => {
    const factory = makeFactory({ tools: [echo()] });
    await expect(factory.open({ kind: "sandboxed", workspace: stubWorkspace("host") })).rejects.toMatchObject(
      {
        code: "SANDBOX_REQUIRED",
      },
    );
    await expect(
      factory.open({ kind: "sandboxed", workspace: stubWorkspace("sandbox") }),
    ).resolves.toBeDefined();
  });

  test("separates the calls of sessions", async () => {
    const factory = makeFactory({ tools: [echo()] });
    const one = await factory.open({ kind: "main", workspace: stubWorkspace() });
    const other = await factory.open({ kind: "main", workspace: stubWorkspace() });
    await one.call({ id: "1", name: "echo", arguments: { value: "a" } });
    expect(other.ledger()).toEqual([]);
    expect(getCode(await other.call({ id: "1", name: "echo", arguments: { value: "a" } }))).toBe("ok");
  });

  test("reports a hidden tool as missing with its reason, and blocks its calls", async () => {
    const policy = createTestPolicy({ visibility: ({ name }) => (name === "secret" ? "deny" : "allow") });
    const session = await openSession({ tools: [echo(), makeTool("secret")], policy });
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
    expect(session.missing()).toMatchObject([
      { name: "secret", code: "POLICY_DENIED", reason: "deny everything" },
    ]);
    expect(await session.call({ name: "secret" })).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  });
});

/** What a tool does that honours its signal. */
function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = createGate<never>();
  signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  return promise;
}
