import { describe, expect, test } from "vitest";
import type { Plugin, PluginToolContext, PluginToolFactory } from "../src/registration.ts";
import { Registry } from "../src/registry.ts";
import {
  codeOf,
  echo,
  factoryPlugin,
  gate,
  makeFactory,
  makeTool,
  memoryLogger,
  openSession,
  pluginOf,
  said,
  sleep,
  stubWorkspace,
} from "./support/kernel.ts";

const good = pluginOf("good", [echo()]);
const hello = { value: "hello" };

describe("a factory that fails costs its own tools only", () => {
  const throwing = (): never => {
    throw new Error("no database");
  };
  const cases: [string, PluginToolFactory, string, RegExp][] = [
    ["throws", throwing, "FACTORY_FAILED", /no database/],
    ["rejects", () => Promise.reject(new Error("no database")), "FACTORY_FAILED", /no database/],
    [
      "throws what has no text",
      () => {
        throw Object.create(null);
      },
      "FACTORY_FAILED",
      /cannot be read/,
    ],
    ["never ends", () => gate<never>().promise, "FACTORY_TIMEOUT", /longer than 20 ms/],
    ["returns a number", () => 7 as never, "TOOL_INVALID", /number, not an object/],
    [
      "returns a tool without execute",
      () => ({ name: "bad" }) as never,
      "TOOL_INVALID",
      /execute is not a function/,
    ],
    ["returns a tool it did not declare", () => makeTool("other"), "TOOL_UNDECLARED", /without declaring it/],
    ["returns a list that throws", () => new Proxy([], { get: throwing }), "FACTORY_FAILED", /no database/],
    [
      "returns a promise that is none",
      () =>
        ({
          get then() {
            return throwing();
          },
        }) as never,
      "FACTORY_FAILED",
      /no database/,
    ],
    [
      "returns a tool with a hostile getter",
      () =>
        ({
          get name() {
            return throwing();
          },
        }) as never,
      "TOOL_INVALID",
      /reading it threw/,
    ],
  ];

  test.for(cases)("one that %s", async ([_what, factory, code, message]) => {
    const logger = memoryLogger();
    const session = await openSession({
      plugins: [factoryPlugin("bad", ["bad"], factory), good],
      registry: { factoryTimeoutMs: 20, logger },
    });
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
    expect(session.diagnostics()).toMatchObject([
      { code, pluginId: "bad", message: expect.stringMatching(message) },
    ]);
    expect(session.diagnostics()[0]!.fix).not.toBe("");
    expect(logger.lines).toHaveLength(1);
    expect(codeOf(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test("a call of it says why it is not there, and so does the list of what is missing", async () => {
    const session = await openSession({ plugins: [factoryPlugin("bad", ["bad"], throwing), good] });
    for (const name of ["bad", "bad/bad", "functions.bad"]) {
      const outcome = await session.call({ name });
      expect(outcome).toMatchObject({ kind: "error", code: "TOOL_UNAVAILABLE", category: "operational" });
      expect(said(outcome)).toContain("no database");
    }
    expect(session.missing()).toMatchObject([{ id: "bad/bad", name: "bad", code: "FACTORY_FAILED" }]);
    expect(session.explain("bad")).toMatchObject({ found: "broken", verdict: "broken" });
  });

  test("of several tools only the bad ones are left out", async () => {
    const factory = () => [makeTool("one"), { name: "two" } as never, makeTool("three"), makeTool("one")];
    const session = await openSession({ plugins: [factoryPlugin("p", ["one", "two", "three"], factory)] });
    expect(session.tools().map(({ name }) => name)).toEqual(["one", "three"]);
    expect(session.diagnostics()).toMatchObject([
      { code: "TOOL_INVALID", names: ["two"] },
      { code: "TOOL_INVALID", names: ["one"], message: expect.stringContaining("twice") },
    ]);
  });

  test("a hostile tool beside a good one of the same factory", async () => {
    const hostile = { ...makeTool("two"), parameters: Object.defineProperty({}, "type", { get: throwing }) };
    const factory = () => [makeTool("one"), hostile as never];
    const session = await openSession({ plugins: [factoryPlugin("p", ["one", "two"], factory)] });
    expect(session.tools().map(({ name }) => name)).toEqual(["one"]);
  });

  test("null and an empty list mean: no tool here, and nothing is wrong", async () => {
    const session = await openSession({
      plugins: [factoryPlugin("a", ["a"], () => null), factoryPlugin("b", ["b"], () => []), good],
    });
    expect(session.diagnostics()).toEqual([]);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
  });

  test("one that ends after its time has lost, and is told", async () => {
    let signal: AbortSignal | undefined;
    const factory = async (context: PluginToolContext) => {
      signal = context.signal;
      await sleep(30);
      return makeTool("slow");
    };
    const session = await openSession({
      plugins: [factoryPlugin("p", ["slow"], factory)],
      registry: { factoryTimeoutMs: 10 },
    });
    await sleep(40);
    expect(signal!.aborted).toBe(true);
    expect(session.tools()).toEqual([]);
  });

  test("no limit at all is possible", async () => {
    const factory = () => sleep(20).then(() => makeTool("slow"));
    const session = await openSession({
      plugins: [factoryPlugin("p", ["slow"], factory)],
      registry: { factoryTimeoutMs: Infinity },
    });
    expect(session.tools()).toHaveLength(1);
  });
});

describe("a plugin that cannot be read costs nobody else's tools", () => {
  const cases: [string, unknown][] = [
    ["nothing", undefined],
    ["no id", { tools: [] }],
    ["an id with capitals", { id: "Bad", tools: [] }],
    ["no tools", { id: "bad" }],
    ["a registration that is null", { id: "bad", tools: [null] }],
    ["a registration without names", { id: "bad", tools: [{ factory: () => null }] }],
    ["names that are a string", { id: "bad", tools: [{ factory: () => null, names: "read" }] }],
    ["no factory", { id: "bad", tools: [{ names: ["bad"] }] }],
    [
      "a getter that throws",
      {
        id: "bad",
        get tools() {
          throw new Error("no");
        },
      },
    ],
  ];

  test.for(cases)("%s", async ([_what, plugin]) => {
    const session = await openSession({ plugins: [plugin as Plugin, good] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID" }]);
    expect(codeOf(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test("a second plugin of the same id", async () => {
    const session = await openSession({ plugins: [good, pluginOf("good", [makeTool("other")])] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID", pluginId: "good" }]);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
  });
});

describe("two plugins that claim one name", () => {
  const reader = (id: string) =>
    makeTool("read", { execute: () => ({ content: [{ type: "text", text: id }], details: {} }) });
  const one = pluginOf("one", [reader("one")]);
  const two = pluginOf("two", [reader("two")]);

  test("the first keeps it; the second is reached by its full name, and not advertised", async () => {
    const session = await openSession({ plugins: [one, two] });
    expect(session.diagnostics()).toMatchObject([
      { code: "TOOL_NAME_COLLISION", pluginId: "two", names: ["read"] },
    ]);
    expect(session.tools()).toHaveLength(1);
    for (const [name, id] of [
      ["read", "one"],
      ["one/read", "one"],
      ["two/read", "two"],
    ] as const) {
      expect(said(await session.call({ name }))).toBe(id);
    }
    expect(session.ledger().map(({ toolName }) => toolName)).toEqual(["read", "read", "two/read"]);
  });

  test.for([
    ["before", true],
    ["after", false],
  ] as const)("unless one replaces it on purpose, listed %s it", async ([_where, first]) => {
    const replacing = { ...two, replaces: ["read"] };
    const session = await openSession({ plugins: first ? [replacing, one] : [one, replacing] });
    expect(session.diagnostics()).toEqual([]);
    expect(said(await session.call({ name: "read" }))).toBe("two");
    expect(said(await session.call({ name: "one/read" }))).toBe("one");
  });

  test("calls of the two are not duplicates of each other", async () => {
    const session = await openSession({ plugins: [one, two], loopGuard: { repeat: { warn: 2, block: 2 } } });
    await session.call({ name: "read" });
    await session.call({ name: "read" });
    expect(codeOf(await session.call({ name: "read" }))).toBe("LOOP_REPEAT");
    expect(codeOf(await session.call({ name: "two/read" }))).toBe("ok");
  });

  test("on different channels they never meet", async () => {
    const on = (id: string, channels: string[]): Plugin => ({
      id,
      tools: [{ factory: () => reader(id), names: ["read"], scope: "host", channels }],
    });
    const factory = makeFactory({ plugins: [on("slack", ["slack"]), on("mail", ["mail"])] });
    for (const messageChannel of ["slack", "mail"]) {
      const session = await factory.open({ kind: "main", workspace: stubWorkspace(), messageChannel });
      expect(session.diagnostics()).toEqual([]);
      expect(said(await session.call({ name: "read" }))).toBe(messageChannel);
      expect(session.tools()).toHaveLength(1);
    }
    const nowhere = await factory.open({ kind: "main", workspace: stubWorkspace() });
    expect(nowhere.tools()).toEqual([]);
  });

  test("one plugin that registers a name twice has it once", async () => {
    const twice: Plugin = { id: "p", tools: [...one.tools, ...two.tools] };
    const session = await openSession({ plugins: [twice] });
    expect(session.diagnostics()).toMatchObject([{ code: "TOOL_NAME_COLLISION", pluginId: "p" }]);
    expect(said(await session.call({ name: "read" }))).toBe("one");
  });
});

describe("what a factory is told, and how often it is asked", () => {
  test("of scope session: everything, once for each session", async () => {
    const seen: PluginToolContext[] = [];
    const plugin: Plugin = {
      id: "p",
      config: { key: 1 },
      tools: [{ names: ["echo"], factory: (context) => (seen.push(context), echo()) }],
    };
    const factory = makeFactory({ plugins: [plugin] });
    const workspace = stubWorkspace();
    const options = { kind: "main" as const, workspace, agentId: "a", messageChannel: "c" };
    const session = await factory.open({ ...options, sessionKey: "s1" });
    await factory.open({ ...options, sessionKey: "s1" });
    await factory.open({ ...options, sessionKey: "s2" });
    expect(seen.map(({ sessionKey }) => sessionKey)).toEqual(["s1", "s2"]);
    expect(seen[0]).toMatchObject({
      config: { key: 1 },
      agentId: "a",
      messageChannel: "c",
      workspaceDir: "/work",
      sandboxed: false,
      workspace,
    });
    await session.close();
    await factory.open({ ...options, sessionKey: "s1" });
    expect(seen.map(({ sessionKey }) => sessionKey)).toEqual(["s1", "s2", "s1"]);
  });

  test("of scope host: its configuration and nothing of any session, once", async () => {
    const seen: PluginToolContext[] = [];
    const plugin: Plugin = {
      id: "p",
      config: 7,
      tools: [{ names: ["echo"], scope: "host", factory: (context) => (seen.push(context), echo()) }],
    };
    const factory = makeFactory({ plugins: [plugin] });
    for (const sessionKey of ["a", "b"])
      await factory.open({ kind: "group", workspace: stubWorkspace(), sessionKey });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ config: 7, sessionKey: "", workspaceDir: "" });
    expect(() => seen[0]!.workspace).toThrow(/belongs to no session/);
  });

  test("sessions whose names only look alike do not share tools", async () => {
    let made = 0;
    const factory = makeFactory({ plugins: [factoryPlugin("p", ["echo"], () => (made++, echo()))] });
    const open = (agentId: string, sessionKey: string, messageChannel = "") =>
      factory.open({ kind: "main", workspace: stubWorkspace(), agentId, sessionKey, messageChannel });
    await open("a\nb", "c");
    await open("a", "b\nc");
    await open("ab", "c");
    await open("a", "bc");
    expect(made).toBe(4);
  });

  test("closing one session leaves the tools of the others", async () => {
    let made = 0;
    const factory = makeFactory({ plugins: [factoryPlugin("p", ["echo"], () => (made++, echo()))] });
    const open = (sessionKey: string) =>
      factory.open({ kind: "main", workspace: stubWorkspace(), sessionKey });
    const [a] = await Promise.all([open("a"), open("b")]);
    await a!.close();
    await open("b");
    expect(made).toBe(2);
  });
});

describe("the catalogue", () => {
  const plugin: Plugin = {
    id: "p",
    tools: [
      {
        names: ["a"],
        scope: "host",
        optional: true,
        factory: () => makeTool("a", { effects: ["write"], groups: ["fs"] }),
      },
      { names: ["b"], factory: () => makeTool("b", { effects: ["write"] }) },
    ],
  };

  test("knows every name without running a factory", () => {
    let ran = 0;
    const spy: Plugin = { id: "spy", tools: [{ names: ["x", "y"], factory: () => (ran++, null) }] };
    const registry = new Registry({ plugins: [plugin, spy], builtIn: ["p"] });
    expect(registry.catalogue()).toMatchObject([
      { id: "p/a", name: "a", pluginId: "p", optional: true, builtIn: true },
      { id: "p/b", optional: false },
      { id: "spy/x", builtIn: false },
      { id: "spy/y" },
    ]);
    expect(ran).toBe(0);
  });

  test("a survey adds effects and groups of the tools of the host", async () => {
    const facts = await new Registry({ plugins: [plugin] }).survey(memoryLogger());
    expect(facts).toMatchObject([
      { id: "p/a", effects: ["write"], groups: ["fs"] },
      { id: "p/b", effects: [] },
    ]);
  });
});
