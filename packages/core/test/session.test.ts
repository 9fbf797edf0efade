import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { createMemoryStore } from "../src/ledger.ts";
import { text, textOf } from "../src/result.ts";
import {
  answer,
  codeOf,
  echo,
  eventTypes,
  gate,
  makeFactory,
  makeTool,
  memoryLogger,
  openSession,
  policyOf,
  said,
  sleep,
  stubWorkspace,
  watch,
} from "./support/kernel.ts";

describe("a call", () => {
  test("runs the tool and is in the ledger as what it was", async () => {
    const session = await openSession({ tools: [echo()] });
    const outcome = await session.call({ id: "1", name: "echo", arguments: { value: "hello" } });
    expect(outcome).toMatchObject({ kind: "ok", toolCallId: "1", toolName: "echo", receipt: "none" });
    expect(said(outcome)).toBe("hello");
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

  test("takes its arguments as JSON text, too", async () => {
    const session = await openSession({ tools: [echo()] });
    const outcome = await session.call({ name: "echo", arguments: '{"value":"hi"}' });
    expect(said(outcome)).toBe("hi");
    expect(session.ledger()[0]).toMatchObject({ toolCallId: "call_1", args: { value: "hi" } });
  });

  test("without an id gets one that is free", async () => {
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
  ] as const)("has the receipt %s when a tool with the effects %j succeeds", async ([receipt, effects]) => {
    const session = await openSession({ tools: [makeTool("act", { effects })] });
    expect(await session.call({ name: "act" })).toMatchObject({ kind: "ok", receipt });
  });

  test("has the receipt its tool says", async () => {
    const execute = () => ({ ...answer("unchanged"), receipt: "none" as const });
    const session = await openSession({ tools: [makeTool("act", { effects: ["write"], execute })] });
    expect(await session.call({ name: "act" })).toMatchObject({ kind: "ok", receipt: "none" });
  });

  test("a result too long is cut, and the rest is said to be somewhere", async () => {
    const execute = () => answer("line\n".repeat(100_000));
    const session = await openSession({ tools: [makeTool("long", { execute })], maxResultCharacters: 4000 });
    const outcome = await session.call({ name: "long" });
    expect(said(outcome).length).toBeLessThanOrEqual(4000);
    expect(said(outcome)).toContain("[Cut: 500,000 characters");
    await session.close();
  });
});

describe("bad input is a coded outcome, and in the ledger", () => {
  const tools = [
    echo(),
    makeTool("count", {
      parameters: Type.Object({ value: Type.Integer(), unit: Type.Optional(Type.String()) }),
    }),
  ];

  test.for([
    ["malformed JSON", "echo", '{"value": "a', "MALFORMED_ARGUMENTS"],
    ["a wrong type", "count", { value: "many" }, "INVALID_ARGUMENTS"],
    ["a missing parameter", "count", { unit: "kg" }, "INVALID_ARGUMENTS"],
    ["a surplus parameter", "count", { value: 1, colour: "red" }, "INVALID_ARGUMENTS"],
    ["an array for an object", "echo", [1, 2], "INVALID_ARGUMENTS"],
    ["no arguments where some are needed", "echo", undefined, "INVALID_ARGUMENTS"],
    ["arguments of 10 MB", "echo", { value: "x".repeat(10_000_000) }, "ARGUMENTS_TOO_LARGE"],
    ["10 MB of JSON text", "echo", JSON.stringify({ value: "x".repeat(10_000_000) }), "ARGUMENTS_TOO_LARGE"],
    [
      "10 MB in many small parts",
      "echo",
      { value: Array(1_100_000).fill("ten chars.") },
      "ARGUMENTS_TOO_LARGE",
    ],
    ["a tool nobody has", "frobnicate", {}, "UNKNOWN_TOOL"],
    ["an empty name", "", {}, "UNKNOWN_TOOL"],
  ] as const)("%s", async ([_what, name, given, code]) => {
    const session = await openSession({ tools });
    const outcome = await session.call({ id: "1", name, arguments: given });
    expect(outcome).toMatchObject({ kind: "error", category: "input", code, receipt: "none" });
    expect(said(outcome)).not.toBe("");
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "failed", outcome: "error", code }]);
    expect(JSON.stringify(session.ledger()).length).toBeLessThan(10_000);
  });

  test("an unknown tool is answered with the nearest name", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ name: "ecco", arguments: {} });
    expect(said(outcome)).toContain("Did you mean echo?");
    expect(outcome.details).toMatchObject({ nearest: ["echo"] });
  });

  test("a name of a million characters is not kept", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ name: "x".repeat(1_000_000), arguments: {} });
    expect(codeOf(outcome)).toBe("UNKNOWN_TOOL");
    expect(JSON.stringify([outcome, session.ledger()]).length).toBeLessThan(5000);
  });

  test("a call id used twice runs nothing and leaves the first call as it was", async () => {
    let runs = 0;
    const session = await openSession({
      tools: [makeTool("act", { execute: () => answer(`run ${++runs}`) })],
    });
    await session.call({ id: "1", name: "act" });
    const again = await session.call({ id: "1", name: "act" });
    expect(again).toMatchObject({
      kind: "error",
      category: "input",
      code: "DUPLICATE_CALL_ID",
      toolCallId: "1",
    });
    expect(runs).toBe(1);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "completed" }]);
  });

  test("an id of a call that still runs cannot be used either", async () => {
    const { promise, resolve } = gate();
    const session = await openSession({
      tools: [makeTool("act", { execute: () => promise.then(() => answer("a")) })],
    });
    const first = session.call({ id: "1", name: "act" });
    expect(codeOf(await session.call({ id: "1", name: "act" }))).toBe("DUPLICATE_CALL_ID");
    resolve();
    expect(codeOf(await first)).toBe("ok");
  });

  test("an id of more than 256 characters is refused", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ id: "i".repeat(257), name: "echo", arguments: { value: "a" } });
    expect(outcome).toMatchObject({ kind: "error", code: "INVALID_CALL_ID", category: "input" });
  });
});

describe("a tool that misbehaves", () => {
  const session = (execute: () => unknown, effects: readonly ["write"] | [] = []) =>
    openSession({ tools: [makeTool("bad", { effects, execute: execute as never })], logger: memoryLogger() });

  test.for([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["an object without content", { details: {} }],
    ["content that is no array", { content: "text", details: {} }],
    ["a block of no known type", { content: [{ type: "video" }], details: {} }],
    ["a block that is null", { content: [null], details: {} }],
    [
      "content whose getter throws",
      {
        get content() {
          throw new Error("no");
        },
      },
    ],
  ] as const)("returns %s: it has failed, and may have acted", async ([_what, value]) => {
    const outcome = await (await session(() => value, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
    expect(["RESULT_INVALID", "TOOL_FAILED"]).toContain(codeOf(outcome));
  });

  test("returns no content blocks: the model is told something all the same", async () => {
    const outcome = await (await session(() => ({ content: [], details: {} }))).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(said(outcome)).toBe("(no output)");
  });

  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("trap");
      },
      getPrototypeOf() {
        throw new Error("trap");
      },
    },
  );
  const thrown: [string, unknown][] = [
    ["an error", new Error("boom")],
    ["an error without a message", new TypeError()],
    ["a string", "boom"],
    ["an empty string", ""],
    ["undefined", undefined],
    ["null", null],
    ["an object that has no text", Object.create(null)],
    [
      "an object whose text throws",
      {
        toString() {
          throw new Error("no");
        },
      },
    ],
    ["a proxy whose every trap throws", hostile],
    ["an error whose message is an object", Object.assign(new Error("x"), { message: hostile })],
    [
      "a forged Haft error whose code throws",
      {
        [Symbol.for("haft.error")]: true,
        get code() {
          throw new Error("no");
        },
      },
    ],
  ];

  test.for(thrown)("throws %s, at once", async ([_what, value]) => {
    const execute = () => {
      throw value;
    };
    const outcome = await (await session(execute, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED", receipt: "unknown" });
    expect(said(outcome)).toMatch(/^Error: ./);
  });

  test.for(thrown)("throws %s, later", async ([_what, value]) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what it is about
    const outcome = await (await session(() => Promise.reject(value))).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED", receipt: "none" });
  });

  test("returns a thenable whose then throws", async () => {
    const returned = {
      get then() {
        throw new Error("no then");
      },
    };
    const outcome = await (await session(() => returned, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
  });

  test("throws ten million characters: the model reads a part", async () => {
    const opened = await session(() => {
      throw new Error("x".repeat(10_000_000));
    });
    const outcome = await opened.call({ name: "bad" });
    expect(textOf(outcome.content).length).toBeLessThan(150_000);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(150_000);
    await opened.close();
  });

  test("changes its parameters: the ledger says what was called", async () => {
    const execute = (_id: string, params: { value: string }) => {
      params.value = "changed";
      return answer("done");
    };
    const opened = await openSession({ tools: [echo("echo", { execute })] });
    const given = { value: "given" };
    await opened.call({ name: "echo", arguments: given });
    expect(opened.ledger()[0]!.args).toEqual({ value: "given" });
    expect(given).toEqual({ value: "given" });
  });
});

describe("closing", () => {
  test("a call after it is refused, and nothing is written down", async () => {
    const session = await openSession({ tools: [echo()] });
    await session.close();
    const outcome = await session.call({ name: "echo", arguments: { value: "a" } });
    expect(outcome).toMatchObject({ kind: "error", code: "SESSION_CLOSED", category: "input" });
    expect(session.ledger()).toEqual([]);
  });

  test("aborts what runs, and waits until it is in the books", async () => {
    const session = await openSession({
      tools: [
        makeTool("polite", { effects: ["write"], execute: (_id, _params, signal) => untilAborted(signal) }),
        makeTool("deaf", { effects: ["write"], execute: () => gate<never>().promise }),
      ],
    });
    const events = watch(session);
    const calls = [session.call({ id: "p", name: "polite" }), session.call({ id: "d", name: "deaf" })];
    await sleep(1);
    await session.close();
    expect(session.ledger()).toMatchObject([
      { toolCallId: "p", status: "failed", outcome: "cancelled", receipt: "unknown" },
      { toolCallId: "d", status: "failed", outcome: "cancelled", receipt: "unknown" },
    ]);
    expect((await Promise.all(calls)).map((outcome) => outcome.kind)).toEqual(["cancelled", "cancelled"]);
    expect(events.at(-1)).toMatchObject({ type: "session-closed" });
    expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(2);
  });

  test("what had not begun does not begin", async () => {
    let runs = 0;
    const session = await openSession({
      tools: [makeTool("act", { execute: () => answer(`run ${++runs}`) })],
    });
    const call = session.call({ name: "act" });
    await session.close();
    expect(await call).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(runs).toBe(0);
  });

  test("twice is once: both wait for the same end, and it is told once", async () => {
    const session = await openSession({
      tools: [makeTool("deaf", { execute: () => gate<never>().promise })],
    });
    const events = watch(session);
    void session.call({ name: "deaf" });
    const first = session.close();
    await session.close();
    expect(session.ledger()[0]).toMatchObject({ status: "failed" });
    await first;
    expect(eventTypes(events).filter((type) => type === "session-closed")).toHaveLength(1);
  });

  test("a tool cannot start another while its session closes", async () => {
    const inner: string[] = [];
    const session = await openSession({
      tools: [
        echo(),
        makeTool("outer", {
          execute: async (_id, _params, signal, _update, context) => {
            await untilAborted(signal).catch(() => {});
            inner.push(codeOf(await context.call("echo", { value: "a" })));
            return answer("done");
          },
        }),
      ],
    });
    void session.call({ name: "outer" });
    await sleep(1);
    await session.close();
    expect(inner).toEqual(["SESSION_CLOSED"]);
  });

  test("await using closes", async () => {
    let ledger;
    {
      await using session = await openSession({
        tools: [makeTool("deaf", { execute: () => gate<never>().promise })],
      });
      void session.call({ name: "deaf" });
      ledger = session.ledger();
    }
    expect(ledger).toMatchObject([{ status: "failed" }]);
  });

  test("the factories of the session are told", async () => {
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

describe("the past", () => {
  test("a session opened again under its key finds it, and what was interrupted has failed", async () => {
    const store = createMemoryStore();
    const setup = {
      tools: [
        echo(),
        makeTool("deaf", { effects: ["write" as const], execute: () => gate<never>().promise }),
      ],
      store,
    };
    const before = await openSession({ ...setup, open: { sessionKey: "s" } });
    await before.call({ id: "done", name: "echo", arguments: { value: "a" } });
    void before.call({ id: "lost", name: "deaf" });
    await sleep(1);
    // The process ends here.
    const after = await openSession({ ...setup, open: { sessionKey: "s" } });
    expect(await call(after, "lost")).toBe("DUPLICATE_CALL_ID");
    expect(after.ledger()).toMatchObject([
      { toolCallId: "done", status: "completed" },
      { toolCallId: "lost", status: "failed", code: "INTERRUPTED", receipt: "unknown" },
    ]);
    expect(await call(after, "new")).toBe("ok");
    await before.close();

    async function call(session: typeof after, id: string): Promise<string> {
      return codeOf(await session.call({ id, name: "echo", arguments: { value: "b" } }));
    }
  });

  test("a store that cannot write costs no outcome", async () => {
    const logger = memoryLogger();
    const store = {
      load: () => [],
      append: () => Promise.reject(new Error("connection lost")),
      transition: () => {
        throw new Error("disk full");
      },
    };
    const session = await openSession({ tools: [echo()], store, logger });
    expect(codeOf(await session.call({ name: "echo", arguments: { value: "a" } }))).toBe("ok");
    expect(session.ledger()).toMatchObject([{ status: "completed" }]);
    await sleep(1);
    expect(logger.lines.length).toBeGreaterThanOrEqual(3);
  });
});

describe("opening", () => {
  test("a sandboxed session never gets the host", async () => {
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

  test("sessions do not see each other's calls", async () => {
    const factory = makeFactory({ tools: [echo()] });
    const one = await factory.open({ kind: "main", workspace: stubWorkspace() });
    const other = await factory.open({ kind: "main", workspace: stubWorkspace() });
    await one.call({ id: "1", name: "echo", arguments: { value: "a" } });
    expect(other.ledger()).toEqual([]);
    expect(codeOf(await other.call({ id: "1", name: "echo", arguments: { value: "a" } }))).toBe("ok");
  });

  test("what is hidden is missing with its reason, and a call of it is blocked", async () => {
    const policy = policyOf({ visibility: ({ name }) => (name === "secret" ? "deny" : "allow") });
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
  const { promise, reject } = gate<never>();
  signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  return promise;
}
