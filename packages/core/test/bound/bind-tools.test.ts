import { expect, onTestFinished, test, vi } from "vitest";
import { bindTools } from "../../src/bound/bind-tools.ts";
import type { BoundTarget } from "../../src/bound/bound-tool.ts";
import type { Workspace } from "../../src/contract/ports.ts";
import { contentToText } from "../../src/contract/result.ts";
import { coreError } from "../../src/errors.ts";
import {
  answer,
  echo,
  createGate,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
  stubWorkspace,
  createThrower,
} from "../support/kernel.ts";

/** Bound to a place that counts how often it was asked for. */
function bound<Tools extends Parameters<typeof bindTools>[0]>(
  tools: Tools,
  target: Partial<BoundTarget> = {},
) {
  const workspace = vi.fn<() => Workspace>(() => stubWorkspace());
  const one = stubWorkspace();
  workspace.mockReturnValue(one);
  const { tools: made, close } = bindTools(tools, { workspace, ...target });
  onTestFinished(() => close());
  return { tools: made, close, workspace, one };
}

test("opens the workspace with the first call, and never after close", async () => {
  const { tools, close, workspace } = bound({ echo: echo() });
  expect(tools.echo).toMatchObject({ name: "echo", label: "echo", description: "The tool echo." });
  expect(workspace).not.toHaveBeenCalled();
  await close();
  expect(await tools.echo.call({ value: "x" })).toMatchObject({ kind: "error", code: "SESSION_CLOSED" });
  await expect(tools.echo.execute("1", { value: "x" })).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  expect(workspace).not.toHaveBeenCalled();
});

test("repairs, validates and limits a call as in any session", async () => {
  const long = makeTool("long", { execute: () => answer("x".repeat(5_000_000)) });
  const { tools } = bound({ echo: echo("echo", { aliases: { value: ["text"] } }), long });
  expect(getOutcomeText(await tools.echo.call('{"text": "said"}'))).toBe("said");
  expect(await tools.echo.call({ valeu: "x" })).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  expect(await tools.echo.call("no JSON")).toMatchObject({ kind: "error", receipt: "none" });
  expect(getOutcomeText(await tools.long.call({})).length).toBeLessThan(500_000);
});

test("returns the tool's result from execute, and throws for other outcomes", async () => {
  const failing = makeTool("failing", {
    effects: ["write"],
    execute: () => {
      throw coreError("WRONG_PLACE", "It is not here.", { fix: "Look elsewhere.", receipt: "committed" });
    },
  });
  const { tools } = bound({ echo: echo(), failing });
  expect(await tools.echo.execute("1", { value: "x" })).toEqual({
    content: [{ type: "text", text: "x" }],
    details: {},
    receipt: "none",
  });
  await expect(tools.failing.execute("2", {})).rejects.toMatchObject({
    name: "HaftError",
    code: "WRONG_PLACE",
    message: "It is not here.\nLook elsewhere.",
    fix: "Look elsewhere.",
    receipt: "committed",
  });
  await expect(tools.echo.execute("3", { valeu: "x" })).rejects.toMatchObject({
    code: "INVALID_ARGUMENTS",
    category: "input",
  });
});

test("accepts an id again, and the tool never sees an id twice", async () => {
  const ids: string[] = [];
  const noting = makeTool("noting", {
    execute: (id) => {
      ids.push(id);
      return answer("");
    },
  });
  const { tools } = bound({ noting });
  for (const id of ["1", "1", "2", "1"]) await tools.noting.execute(id, {});
  expect(ids).toMatchObject(["1", expect.any(String), "2", expect.any(String)]);
  expect(new Set(ids).size).toBe(4);
});

test("runs repeated calls, since the caller is a program", async () => {
  const { tools } = bound({ echo: echo("echo", { progress: { identicalRepeat: "run" } }) });
  for (let count = 0; count < 100; count++)
    expect(await tools.echo.call({ value: "same" })).toMatchObject({
      kind: "ok",
      content: [{ text: "same" }],
    });
});

test("cancels an aborted call and delivers updates", async () => {
  const begun = createGate();
  const waiting = makeTool("waiting", {
    execute: (_id, _args, signal, onUpdate) => {
      onUpdate?.(answer("so far"));
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    },
  });
  const { tools } = bound({ waiting });
  const controller = new AbortController();
  const received: string[] = [];
  const onUpdate = ({ content }: { content: Parameters<typeof contentToText>[0] }) =>
    received.push(contentToText(content));
  const outcome = tools.waiting.call({}, { signal: controller.signal, onUpdate });
  const thrown = tools.waiting.execute("1", {}, controller.signal, onUpdate).catch((error: unknown) => error);
  await begun.promise;
  await vi.waitUntil(() => received.length === 2);
  controller.abort();
  expect(await outcome).toMatchObject({ kind: "cancelled" });
  expect(await thrown).toMatchObject({ code: "CANCELLED" });
  expect(received).toEqual(["so far", "so far"]);
});

test("aborts running calls on close, then releases the workspace once", async () => {
  const ended: string[] = [];
  const begun = createGate();
  const waiting = makeTool("waiting", {
    execute: (_id, _args, signal) =>
      new Promise((_, reject) => {
        begun.resolve();
        signal.addEventListener("abort", () => {
          ended.push("call");
          reject(new Error("stopped"));
        });
      }),
  });
  const { tools, close } = bound({ waiting }, { close: async () => void ended.push("place") });
  const outcome = tools.waiting.call({});
  await begun.promise;
  await Promise.all([close(), close()]);
  expect(await outcome).toMatchObject({ kind: "cancelled" });
  expect(ended).toEqual(["call", "place"]);
});

test("returns an error if the workspace cannot be opened, and the next call retries", async () => {
  const workspace = vi.fn<() => Promise<Workspace>>(async () => {
    throw coreError("SANDBOX_REQUIRED", "There is none.", { fix: "Make one." });
  });
  const { tools } = bound({ echo: echo() }, { workspace });
  expect(await tools.echo.call({ value: "x" })).toMatchObject({
    kind: "error",
    code: "SANDBOX_REQUIRED",
    receipt: "none",
    content: [{ text: "Error: There is none.\nMake one." }],
  });
  workspace.mockResolvedValue(stubWorkspace());
  expect(await tools.echo.call({ value: "x" })).toMatchObject({ kind: "ok" });
});

test("closes the workspace even if no session could be opened in it", async () => {
  const end = vi.fn<() => Promise<void>>(async () => {});
  const { tools, close } = bound({ echo: echo() }, { model: 5 as never, close: end });
  expect(await tools.echo.call({ value: "x" })).toMatchObject({ kind: "error", code: "INVALID_OPTIONS" });
  await close();
  expect(end).toHaveBeenCalledOnce();
});

test("limits the memory of calls, and a slow call survives that", async () => {
  const released = createGate();
  const begun = createGate();
  const slow = makeTool("slow", {
    execute: async () => {
      begun.resolve();
      await released.promise;
      return answer("slow");
    },
  });
  const { tools } = bound({ slow, echo: echo() });
  const first = tools.slow.call({});
  await begun.promise;
  for (let count = 0; count < 10_050; count++) await tools.echo.call({ value: "x" });
  released.resolve();
  expect(getOutcomeText(await first)).toBe("slow");
  // Counted anew: those before are forgotten.
  expect(await tools.echo.call({ value: "x" })).toMatchObject({ kind: "ok", toolCallId: "call_52" });
});

test("uses a replaced workspace from the next call on", async () => {
  const seen: Workspace[] = [];
  const looking = makeTool("looking", {
    execute: (_id, _args, _signal, _update, { workspace }) => {
      seen.push(workspace);
      return answer("");
    },
  });
  const { tools, workspace, one } = bound({ looking });
  await tools.looking.call({});
  const other = stubWorkspace("sandbox");
  workspace.mockReturnValue(other);
  await tools.looking.call({});
  expect(seen).toEqual([one, other]);
});

test("does not plan a tool, which refuses actions that need a decision", async () => {
  const plan = vi.fn<() => undefined>();
  const { tools } = bound({ echo: echo("echo", { plan, wantsPlan: () => true }) });
  expect(await tools.echo.call({ value: "x" })).toMatchObject({ kind: "ok" });
  expect(plan).not.toHaveBeenCalled();
});

test("belongs to a session as a tool of a plugin, and keeps its workspace", async () => {
  const seen: unknown[] = [];
  const looking = makeTool("looking", {
    plan: (_args, { workspace }) => void seen.push(["plan", workspace]),
    wantsPlan: () => true,
    execute: (id, _args, _signal, _update, { workspace, sessionKey }) => {
      seen.push([id, sessionKey, workspace]);
      return answer("");
    },
  });
  const { tools, one } = bound({ looking });
  const open = { sessionKey: "theirs" };
  const session = await openSession({ tools: [tools.looking], open });
  expect(await session.call({ id: "1", name: "looking", arguments: {} })).toMatchObject({ kind: "ok" });
  expect(seen).toEqual([
    ["plan", one],
    ["1", "theirs", one],
  ]);
  const denied = await openSession({
    tools: [tools.looking],
    open,
    policy: createTestPolicy({ call: () => "deny" }),
  });
  expect(await denied.call({ name: "looking", arguments: {} })).toMatchObject({ code: "POLICY_DENIED" });
  expect(seen).toHaveLength(3);
});

test("accepts null for missing options of a framework", async () => {
  const { tools } = bound({ echo: echo() });
  const nothing = null as never;
  expect(await tools.echo.execute("1", { value: "x" }, nothing, nothing, nothing)).toMatchObject({
    content: [{ text: "x" }],
  });
});

test("opens nothing for an aborted call", async () => {
  const { tools, workspace } = bound({ echo: echo() });
  const signal = AbortSignal.abort();
  expect(await tools.echo.call({ value: "x" }, { signal })).toMatchObject({
    kind: "cancelled",
    receipt: "none",
  });
  await expect(tools.echo.execute("1", { value: "x" }, signal)).rejects.toMatchObject({ code: "CANCELLED" });
  expect(workspace).not.toHaveBeenCalled();
});

test.each([
  [{ signal: {} }, /signal must be AbortSignal, received empty object/],
  [{ signal: "now" }, /signal must be AbortSignal/],
  [{ signal: { aborted: true } }, /signal must be AbortSignal/],
  [{ deadlineMs: "5" }, /deadlineMs must be number of milliseconds/],
  [{ deadlineMs: Number.NaN }, /deadlineMs must be/],
  [{ onUpdate: {} }, /onUpdate must be function/],
  [{ timeout: 5 }, /no option "timeout"/],
  [5, /takes an object of options, received number/],
  ["now", /takes an object of options/],
])("returns an error for the invalid options %o", async (options, message) => {
  const ran = vi.fn<() => void>();
  const { tools } = bound({
    act: makeTool("act", {
      execute: () => {
        ran();
        return answer("done");
      },
    }),
  });
  const outcome = await tools.act.call({}, options as never);
  expect(outcome).toMatchObject({ kind: "error", code: "INVALID_OPTIONS", receipt: "none" });
  expect(contentToText(outcome.content)).toMatch(message);
  expect(ran).not.toHaveBeenCalled();
});

test("returns an error for unreadable options, and accepts null", async () => {
  const { tools } = bound({ echo: echo() });
  const hostile = {
    get signal() {
      throw new Error("not for you");
    },
  };
  expect(await tools.echo.call({ value: "x" }, hostile as never)).toMatchObject({ kind: "error" });
  expect(await tools.echo.call({ value: "x" }, null as never)).toMatchObject({ kind: "ok" });
  expect(await tools.echo.execute(5 as never, { value: "x" }, null as never, null as never)).toMatchObject({
    receipt: "none",
  });
  await expect(tools.echo.execute("1", { value: "x" }, {} as never)).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
  await expect(
    tools.echo.execute("1", { value: "x" }, undefined, undefined, "context" as never),
  ).resolves.toMatchObject({ receipt: "none" });
});

test.each([
  undefined,
  null,
  5,
  "",
  "text",
  [],
  [{ value: "x" }],
  () => {},
  Symbol("x"),
  10n,
  new Map([["value", "x"]]),
  new Proxy(
    {},
    {
      ownKeys: createThrower(new Error("no keys")),
    },
  ),
])("returns an error for invalid arguments: case %#", async (args) => {
  const { tools } = bound({ echo: echo() });
  expect(await tools.echo.call(args as never)).toMatchObject({ kind: "error", receipt: "none" });
});

test("calls that reach no session have ids of their own", async () => {
  const workspace = createThrower(coreError("INTERNAL", "no sandbox"));
  const { tools } = bindTools({ echo: echo() }, { workspace });
  const outcomes = [await tools.echo.call({ value: "x" }), await tools.echo.call({ value: "x" })];
  const ids = outcomes.map(({ toolCallId }) => toolCallId);
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain("");
});
