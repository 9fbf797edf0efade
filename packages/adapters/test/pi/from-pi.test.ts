import { definePlugin, defineTool, text } from "@haft/core";
import { Type as OldType } from "@sinclair/typebox";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { fromPi } from "../../src/pi/index.ts";
import { callOnce, openSession, getText } from "../support/open-session.ts";

// Extensions as their authors write them; the real package runs in `npm run bridges -- pi`.
interface Pi {
  registerTool: (tool: object) => void;
  registerCommand: (name: string, command: object) => void;
  on: (event: string, handler: () => void) => void;
  exec: (program: string, args: string[]) => Promise<unknown>;
  getFlag: (name: string) => unknown;
}

const hello = {
  name: "hello",
  label: "Hello",
  description: "Greets somebody.",
  parameters: Type.Object({ name: Type.String() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async execute(
    id: string,
    { name }: { name: string },
    signal: AbortSignal,
    onUpdate: (part: object) => void,
  ) {
    onUpdate({ content: [{ type: "text", text: "Hel" }], details: {} });
    return {
      content: [{ type: "text", text: `Hello, ${name}.` }],
      details: { id, name, aborted: signal.aborted },
    };
  },
};

test("a tool definition: its schema, its updates, its details, and its hint as a hint", async () => {
  const plugin = await fromPi(hello, { id: "h" });
  await using session = await openSession([plugin]);
  expect(session.tools()).toMatchObject([
    {
      name: "hello",
      parameters: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
  ]);
  const updates: unknown[] = [];
  const outcome = await session.call(
    { id: "c1", name: "hello", arguments: { name: "Ada" } },
    { onUpdate: ({ content }) => updates.push(content) },
  );
  expect(outcome).toMatchObject({
    kind: "ok",
    receipt: "none",
    details: { id: "c1", name: "Ada", aborted: false },
  });
  expect(getText(outcome)).toBe("Hello, Ada.");
  expect(updates).toEqual([[{ type: "text", text: "Hel" }]]);
  await using strict = await openSession([plugin], { rules: { deny: ["group:hinted-effects"] } });
  expect(strict.tools()).toEqual([]);
});

test("a hint does not count where the operator does not want it, or says something else", async () => {
  const call = { name: "hello", arguments: { name: "Ada" } };
  await using careful = await openSession([await fromPi(hello, { id: "h", hints: false })]);
  expect(await careful.call(call)).toMatchObject({ receipt: "committed" });
  await using told = await openSession([await fromPi(hello, { id: "h", effects: { "*": ["message"] } })]);
  expect(await told.call(call)).toMatchObject({ receipt: "committed" });
});

test("an extension that registers tools: its own copy of TypeBox, its flags; its commands and handlers are not run", async () => {
  const extension = async (pi: Pi) => {
    pi.on("session_start", () => expect.unreachable());
    pi.registerCommand("todo", { handler: () => expect.unreachable() });
    await Promise.resolve();
    pi.registerTool({
      name: "flag",
      label: "Flag",
      description: "Answers a flag.",
      parameters: OldType.Object({}),
      execute: async () => ({ content: [{ type: "text", text: String(pi.getFlag("mode")) }] }),
    });
  };
  const plugin = await fromPi({ default: extension }, { id: "f", effects: [], flags: { mode: "quick" } });
  expect(getText(await callOnce(plugin, "flag"))).toBe("quick");
});

test("a result that says it is an error, and arguments that the tool prepares itself", async () => {
  const tool = {
    ...hello,
    prepareArguments: ({ name }: { name: string }) => ({ name: name.trim() }),
    execute: async (_id: string, { name }: { name: string }) => ({
      content: [{ type: "text", text: `no such person: ${name}` }],
      isError: true,
    }),
  };
  const outcome = await callOnce(await fromPi(tool, { id: "h", effects: [] }), "hello", { name: " Ada " });
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED", receipt: "unknown" });
  expect(getText(outcome)).toContain("no such person: Ada");
});

test("the context has the folder, another tool of the session and no user interface", async () => {
  interface Context {
    cwd: string;
    hasUI: boolean;
    ui: { confirm: (title: string) => Promise<boolean>; notify: (what: string) => void };
    executeTool: (name: string, args: object) => Promise<{ isError: boolean; result: { content: unknown } }>;
    sessionManager: { getEntries: () => unknown[] };
  }
  const look = {
    ...hello,
    name: "look",
    parameters: Type.Object({}),
    async execute(_id: string, _params: object, _signal: unknown, _onUpdate: unknown, ctx: Context) {
      ctx.ui.notify("nobody sees it");
      const good = await ctx.executeTool("base", {});
      const bad = await ctx.executeTool("gone", {});
      const { cwd, hasUI } = ctx;
      const confirmed = await ctx.ui.confirm("Really?");
      return { content: [], details: { cwd, hasUI, confirmed, good: good.isError, bad: bad.isError } };
    },
  };
  const use = {
    ...hello,
    name: "use",
    parameters: Type.Object({}),
    execute: async (_id: string, _p: object, _s: unknown, _u: unknown, ctx: Context) =>
      ctx.sessionManager.getEntries(),
  };
  const base = definePlugin({
    id: "b",
    tools: [
      defineTool({
        name: "base",
        description: "The base.",
        parameters: OldType.Object({}),
        effects: [],
        execute: () => ({ content: [text("base")], details: {} }),
      }),
    ],
  });
  await using session = await openSession([base, await fromPi([look, use], { id: "l", effects: [] })]);
  const outcome = await session.call({ name: "look", arguments: {} });
  expect(outcome.details).toEqual({ cwd: "/work", hasUI: false, confirmed: false, good: false, bad: true });
  expect(session.ledger().map(({ toolName }) => toolName)).toContain("base");
  const used = await session.call({ name: "use", arguments: {} });
  expect(used).toMatchObject({ kind: "error", code: "BRIDGED_API_MISSING" });
  expect(getText(used)).toContain("ctx.sessionManager.getEntries of pi");
});

test("a tool that calls pi fails at the call with the reason", async () => {
  const extension = (pi: Pi) =>
    pi.registerTool({
      ...hello,
      execute: async () => pi.exec("git", ["status"]),
    });
  const outcome = await callOnce(await fromPi(extension, { id: "g" }), "hello", { name: "x" });
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_API_MISSING" });
  expect(getText(outcome)).toContain("exec of pi, which is not there");
});

test.each([
  ["an extension without tools", (pi: Pi) => pi.on("tool_call", () => {}), 'asks for: on("tool_call")'],
  ["nothing", undefined, "no tool and no extension"],
  ["a text", "pi-extension", "no tool and no extension"],
])("%s is refused", async (_what, from, message) => {
  await expect(fromPi(from as object, { id: "x" })).rejects.toThrow(message);
});

test("throws errors that an extension throws while it loads", async () => {
  const extension = () => {
    throw new Error("no configuration");
  };
  await expect(fromPi(extension, { id: "x" })).rejects.toThrow("no configuration");
});
