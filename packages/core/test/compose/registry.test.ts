import { withoutUndefined } from "@haft/utils";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import type { ToolDiagnostic } from "../../src/compose/build-tools.ts";
import { hostContext } from "../../src/compose/factory-context.ts";
import type { RegistryOptions } from "../../src/compose/registry-options.ts";
import { Registry } from "../../src/compose/registry.ts";
import type { ToolFacts } from "../../src/contract/policy-port.ts";
import type { Plugin, PluginToolContext, PluginToolFactory } from "../../src/contract/registration.ts";
import {
  getCode,
  echo,
  factoryPlugin,
  makeFactory,
  makeTool,
  memoryLogger,
  openSession,
  createPlugin,
  createTestPolicy,
  getOutcomeText,
  stubWorkspace,
} from "../support/kernel.ts";

test.each([
  ["an enum", { type: "string", enum: ["list", "kill"] }, ["list", "kill"]],
  ["a union of literals", Type.Union([Type.Literal("list"), Type.Literal("kill")]), ["list", "kill"]],
  ["any text", Type.String(), undefined],
  ["an enum of numbers", { enum: [1, 2] }, undefined],
  ["nothing", undefined, undefined],
])("tells policy the actions of a tool: %s", async (_what, action, actions) => {
  const properties = action === undefined ? {} : { action };
  const run = makeTool("run", { parameters: { type: "object", properties } as never });
  const registry = new Registry({ plugins: [createPlugin("p", [run])] });
  const [facts] = await registry.survey(memoryLogger());
  expect(facts?.actions).toEqual(actions);
});

describe("two plugins with one name", () => {
  const reader = (id: string) =>
    makeTool("read", { execute: () => ({ content: [{ type: "text", text: id }], details: {} }) });
  const one = createPlugin("one", [reader("one")]);
  const two = createPlugin("two", [reader("two")]);

  test("give it to the first; the second is callable by id and not advertised", async () => {
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
      expect(getOutcomeText(await session.call({ name }))).toBe(id);
    }
    expect(session.ledger().map(({ toolName }) => toolName)).toEqual(["read", "read", "two/read"]);
  });

  test.for([
    ["before", true],
    ["after", false],
  ] as const)("give it to a plugin that replaces the other, listed %s it", async ([_where, first]) => {
    const replacing = { ...two, replaces: ["read"] };
    const session = await openSession({ plugins: first ? [replacing, one] : [one, replacing] });
    expect(session.diagnostics()).toEqual([]);
    expect(getOutcomeText(await session.call({ name: "read" }))).toBe("two");
    expect(getOutcomeText(await session.call({ name: "one/read" }))).toBe("one");
  });

  test("replace a built-in tool if the host allows the name", async () => {
    const taker: Plugin = { ...createPlugin("taker", [makeTool("read")]), replaces: ["read"] };
    const open = (replaces: RegistryOptions["replaces"]) =>
      new Registry(withoutUndefined({ plugins: [one, taker], builtIn: ["one"], replaces }));
    expect(open(undefined).diagnostics).toEqual([]);
    expect(open(new Map([["taker", ["read"]]])).diagnostics).toEqual([]);
    const refused = open(new Map([["taker", ["write"]]]));
    expect(refused.diagnostics).toMatchObject([
      {
        code: "TOOL_NAME_COLLISION",
        pluginId: "taker",
        names: ["read"],
        fix: expect.stringContaining('"taker/read"'),
      },
    ]);
    // One that may does not open the door for the next.
    const third: Plugin = { ...createPlugin("third", [makeTool("read")]), replaces: ["read"] };
    const both = new Registry({
      plugins: [one, taker, third],
      builtIn: ["one"],
      replaces: new Map([["taker", ["read"]]]),
    });
    expect(both.diagnostics).toMatchObject([{ code: "TOOL_NAME_COLLISION", pluginId: "third" }]);
    const keys = { agentId: "", sessionKey: "", messageChannel: "" };
    const set = await refused.compose(
      () => hostContext(undefined, memoryLogger(), new AbortController().signal),
      keys,
    );
    expect(set.byName.get("read")?.facts.id).toBe("one/read");
    expect(set.byId.has("taker/read")).toBe(true);
  });

  test("keep earlier diagnostics in the list", () => {
    const diagnostic: ToolDiagnostic = {
      code: "PLUGIN_NOT_FOUND",
      pluginId: "",
      names: ["gone"],
      message: "It is gone.",
      fix: "Bring it back.",
    };
    expect(new Registry({ plugins: [one], diagnostics: [diagnostic] }).diagnostics).toEqual([diagnostic]);
  });

  test("do not make each other's calls duplicates", async () => {
    const session = await openSession({ plugins: [one, two], loopGuard: { repeat: { warn: 2, block: 2 } } });
    await session.call({ name: "read" });
    await session.call({ name: "read" });
    expect(getCode(await session.call({ name: "read" }))).toBe("LOOP_REPEAT");
    expect(getCode(await session.call({ name: "two/read" }))).toBe("ok");
  });

  test("share it on different channels", async () => {
    const on = (id: string, channels: string[]): Plugin => ({
      id,
      tools: [{ factory: () => reader(id), names: ["read"], scope: "host", channels }],
    });
    const factory = makeFactory({ plugins: [on("slack", ["slack"]), on("mail", ["mail"])] });
    for (const messageChannel of ["slack", "mail"]) {
      const session = await factory.open({ kind: "main", workspace: stubWorkspace(), messageChannel });
      expect(session.diagnostics()).toEqual([]);
      expect(getOutcomeText(await session.call({ name: "read" }))).toBe(messageChannel);
      expect(session.tools()).toHaveLength(1);
    }
    const nowhere = await factory.open({ kind: "main", workspace: stubWorkspace() });
    expect(nowhere.tools()).toEqual([]);
  });

  test("do not include one plugin that registers the name twice", async () => {
    const twice: Plugin = { id: "p", tools: [...one.tools, ...two.tools] };
    const session = await openSession({ plugins: [twice] });
    expect(session.diagnostics()).toMatchObject([{ code: "TOOL_NAME_COLLISION", pluginId: "p" }]);
    expect(getOutcomeText(await session.call({ name: "read" }))).toBe("one");
  });
});

/** A factory that keeps what it is told. */
function remember(seen: PluginToolContext[]): PluginToolFactory {
  return (context) => {
    seen.push(context);
    return echo();
  };
}

describe("the runs of a factory", () => {
  test("happen once per session with the whole context in scope session", async () => {
    const seen: PluginToolContext[] = [];
    const plugin: Plugin = {
      id: "p",
      config: { key: 1 },
      tools: [{ names: ["echo"], factory: remember(seen) }],
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

  test("happen once with only the configuration in scope host", async () => {
    const seen: PluginToolContext[] = [];
    const plugin: Plugin = {
      id: "p",
      config: 7,
      tools: [{ names: ["echo"], scope: "host", factory: remember(seen) }],
    };
    const factory = makeFactory({ plugins: [plugin] });
    for (const sessionKey of ["a", "b"])
      await factory.open({ kind: "group", workspace: stubWorkspace(), sessionKey });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ config: 7, sessionKey: "", workspaceDir: "" });
    expect(() => seen[0]!.workspace).toThrow(/belongs to no session/);
  });

  test("are separate for sessions with similar names", async () => {
    let made = 0;
    const factory = makeFactory({
      plugins: [factoryPlugin("p", ["echo1", "echo2", "echo3", "echo4"], () => echo(`echo${++made}`))],
    });
    const open = (agentId: string, sessionKey: string, messageChannel = "") =>
      factory.open({ kind: "main", workspace: stubWorkspace(), agentId, sessionKey, messageChannel });
    await open("a\nb", "c");
    await open("a", "b\nc");
    await open("ab", "c");
    await open("a", "bc");
    expect(made).toBe(4);
  });

  test("have a signal that the end of the session aborts in scope session", async () => {
    const seen: PluginToolContext[] = [];
    const factory = makeFactory({ plugins: [factoryPlugin("p", ["echo"], remember(seen))] });
    const open = () => factory.open({ kind: "main", workspace: stubWorkspace() });
    const [first, second] = [await open(), await open()];
    const early = seen[0]!.signal;
    expect(early).toBe(seen[0]!.signal);
    expect(early.aborted).toBe(false);
    await first.close();
    await second.close();
    expect([early.aborted, seen[1]!.signal.aborted]).toEqual([true, true]);
  });

  test("give policy one object for a shared tool and another for a session's tool", async () => {
    const shown = new Map<string, Set<ToolFacts>>();
    const policy = createTestPolicy({
      visibility(tool) {
        shown.set(tool.name, (shown.get(tool.name) ?? new Set()).add(tool));
        return "allow";
      },
    });
    const ownPlugin = factoryPlugin("own", ["mine"], () => echo("mine"));
    const factory = makeFactory({ tools: [echo("everybodys")], plugins: [ownPlugin], policy });
    for (let opened = 0; opened < 3; opened++)
      await factory.open({ kind: "main", workspace: stubWorkspace() });
    expect([shown.get("everybodys")?.size, shown.get("mine")?.size]).toEqual([1, 3]);
  });

  test("keep the tools of other sessions when one closes", async () => {
    let made = 0;
    const factory = makeFactory({
      plugins: [factoryPlugin("p", ["echo1", "echo2", "echo3", "echo4"], () => echo(`echo${++made}`))],
    });
    const open = (sessionKey: string) =>
      factory.open({ kind: "main", workspace: stubWorkspace(), sessionKey });
    const [a] = await Promise.all([open("a"), open("b")]);
    await a.close();
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

  test("has every name without running a factory", () => {
    let ran = 0;
    const spy: Plugin = { id: "spy", tools: [{ names: ["x", "y"], factory: () => echo(`x${++ran}`) }] };
    const registry = new Registry({ plugins: [plugin, spy], builtIn: ["p"] });
    expect(registry.catalogue()).toMatchObject([
      { id: "p/a", name: "a", pluginId: "p", optional: true, builtIn: true },
      { id: "p/b", optional: false },
      { id: "spy/x", builtIn: false },
      { id: "spy/y" },
    ]);
    expect(ran).toBe(0);
  });

  test("names the MCP server only of the server's own plugin", async () => {
    const tool = makeTool("a", { mcp: { server: "wiki", tool: "a" } });
    const plugins = ["mcp-wiki", "rogue"].map((id): Plugin => ({
      id,
      tools: [{ names: ["a"], factory: () => tool }],
    }));
    for (const each of plugins) each.tools[0]!.scope = "host";
    const facts = await new Registry({ plugins }).survey(memoryLogger());
    expect(facts.map(({ id, mcp }) => [id, mcp])).toEqual([
      ["mcp-wiki/a", { server: "wiki", tool: "a" }],
      ["rogue/a", undefined],
    ]);
  });

  test("has effects and groups of the host's tools after a survey", async () => {
    const facts = await new Registry({ plugins: [plugin] }).survey(memoryLogger());
    expect(facts).toMatchObject([
      { id: "p/a", effects: ["write"], groups: ["fs"] },
      { id: "p/b", effects: [] },
    ]);
  });
});
