import { describe, expect, test } from "vitest";
import { Registry } from "../../src/compose/registry.ts";
import { definePlugin } from "../../src/contract/define-plugin.ts";
import { CONTRACT_VERSION, type Plugin } from "../../src/contract/registration.ts";
import {
  getCode,
  echo,
  makeFactory,
  makeTool,
  openSession,
  createPlugin,
  stubWorkspace,
} from "../support/kernel.ts";

const good = createPlugin("good", [echo()]);
const hello = { value: "hello" };

test.for([
  ["is undefined.", undefined],
  ["is null, not a plugin of definePlugin.", null],
  ["is a number, not a plugin of definePlugin.", 7],
  ["is a function instead of its result.", () => good],
  ['is the text "good".', "good"],
  ["is a list.", [good]],
  ["is a promise.", Promise.resolve(good)],
  ["is a whole module.", await import("node:path")],
  ["is a whole CommonJS module.", { __esModule: true, default: good }],
  ["is a tool, not a plugin.", echo()],
] as const)("reports the location and kind of a value that is not a plugin: %s", async ([found, plugin]) => {
  const session = await openSession({ plugins: [good, plugin as unknown as Plugin] });
  expect(session.diagnostics()).toMatchObject([
    {
      code: "PLUGIN_INVALID",
      message: `plugins[1] of this host ${found}`,
      fix: expect.stringMatching(/\.$|…$/),
    },
  ]);
});

test.for([
  [{ id: "slip", tolls: [] }, 'Plugin "slip" has a key "tolls"; did you mean "tools"?'],
  [
    { id: "slip", tools: [], replace: ["read"] },
    'Plugin "slip" has a key "replace"; did you mean "replaces"?',
  ],
  [
    { id: "slip", tools: [{ names: ["a"], factory: () => null, optinal: true }] },
    'Plugin "slip" has in tools[0] a key "optinal"; did you mean "optional"?',
  ],
  [{ id: "slip", tools: [undefined] }, 'Plugin "slip" has undefined for tools[0] and not a tool.'],
  [{ id: "slip", tools: [], replaces: "read" }, 'Plugin "slip" has a replaces that is not a list of names.'],
] as const)("reports a misspelled key: %j", async ([plugin, message]) => {
  const session = await openSession({ plugins: [plugin as unknown as Plugin, good] });
  expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID", pluginId: "slip", message }]);
});

test("ignores other keys of a plugin", async () => {
  const plugin = { ...good, description: "Good.", settings: {}, keywords: [] } as Plugin;
  expect((await openSession({ plugins: [plugin] })).diagnostics()).toEqual([]);
});

describe("an unreadable plugin", () => {
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

  test.for(cases)("affects no other plugin: %s", async ([_what, plugin]) => {
    const session = await openSession({ plugins: [plugin as Plugin, good] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID" }]);
    expect(getCode(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test.for([
    [2, "CONTRACT_UNKNOWN", /contract 2, and this host knows contract 1/, /Update the host/],
    [0, "CONTRACT_UNKNOWN", /contract 0, and this host knows contract 1/, /have its author build it/],
    ["1", "CONTRACT_UNKNOWN", /contract "1"/, /have its author/],
    [null, "CONTRACT_UNKNOWN", /contract null/, /have its author/],
    [() => 1, "CONTRACT_UNKNOWN", /contract function/, /have its author/],
  ] as const)("is a plugin for contract %s", async ([contract, code, message, fix]) => {
    const plugin = { id: "other", tools: [], contract } as unknown as Plugin;
    const session = await openSession({ plugins: [plugin, good] });
    expect(session.diagnostics()).toMatchObject([
      { code, message: expect.stringMatching(message), fix: expect.stringMatching(fix) },
    ]);
    expect(getCode(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test("is not a plugin for this contract or without a contract", async () => {
    const plugins = [{ ...good, contract: CONTRACT_VERSION }, createPlugin("silent", [makeTool("other")])];
    expect((await openSession({ plugins })).diagnostics()).toEqual([]);
  });

  test("is the second plugin with an id", async () => {
    const session = await openSession({ plugins: [good, createPlugin("good", [makeTool("other")])] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID", pluginId: "good" }]);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
  });
});

describe("the declarations of a registration", () => {
  test("limit its tools", async () => {
    const plugin: Plugin = {
      id: "p",
      tools: [
        { names: ["a"], effects: ["read"], factory: () => makeTool("a", { effects: ["read", "network"] }) },
        { names: ["b"], effects: ["read"], factory: () => makeTool("b") },
      ],
    };
    expect(new Registry({ plugins: [plugin] }).catalogue().map(({ effects }) => effects)).toEqual([
      ["read"],
      ["read"],
    ]);
    const one = await makeFactory({ plugins: [plugin] }).open({ kind: "main", workspace: stubWorkspace() });
    expect(one.tools().map(({ name }) => name)).toEqual(["b"]);
    expect(one.diagnostics()).toMatchObject([
      { code: "TOOL_INVALID", names: ["a"], message: expect.stringContaining("with the effect network") },
    ]);
  });

  test("limit each of several tools by its own effects", async () => {
    const plugin: Plugin = {
      id: "p",
      tools: [
        {
          names: ["list", "send", "check"],
          effects: { list: ["network"], send: ["network", "message"], check: [] },
          factory: () => [
            makeTool("list", { effects: ["network"] }),
            makeTool("send", { effects: ["message"] }),
            makeTool("check", { effects: ["network"] }),
          ],
        },
      ],
    };
    expect(
      new Registry({ plugins: [plugin] }).catalogue().map(({ name, effects }) => [name, effects]),
    ).toEqual([
      ["list", ["network"]],
      ["send", ["network", "message"]],
      ["check", []],
    ]);
    const one = await makeFactory({ plugins: [plugin] }).open({ kind: "main", workspace: stubWorkspace() });
    expect(one.tools().map(({ name }) => name)).toEqual(["list", "send"]);
    expect(one.diagnostics()).toMatchObject([
      { code: "TOOL_INVALID", names: ["check"], message: expect.stringContaining("with the effect network") },
    ]);
  });

  test.for<[string, object, RegExp]>([
    [
      "effects of an unknown tool",
      { effects: { a: [], b: [] } },
      /effects has "b", which is none of its names/,
    ],
    ["effects without one of its tools", { effects: {} }, /effects has no entry for "a"/],
    ["invalid effects of a tool", { effects: { a: ["fly"] } }, /of a, effects must be .*contains "fly"/],
    ["invalid effects", { effects: ["fly"] }, /has an error in tools\[0\]: effects must be .*contains "fly"/],
    ["a similar effect", { effects: ["reads"] }, /contains "reads"; did you mean "read"\?/],
    ["effects that are no list", { effects: "read" }, /effects must be a list of .*received "read"/],
    ["hosts that are not a list", { hosts: "example.com" }, /hosts must be a list of names/],
  ])("exclude the plugin for %s", ([, parts, message]) => {
    const plugin = { id: "p", tools: [{ names: ["a"], factory: () => null, ...parts }] } as Plugin;
    expect(new Registry({ plugins: [plugin] }).diagnostics).toMatchObject([
      { code: "PLUGIN_INVALID", message: expect.stringMatching(message) },
    ]);
  });

  test.for<[string, object, string, RegExp]>([
    ["a setup that is not a function", { setup: {} }, "PLUGIN_INVALID", /a setup that is not a function/],
    ["an invalid schema", { configSchema: "x" }, "PLUGIN_INVALID", /configSchema is a string, not a schema/],
    ["a key that is misspelled", { configScheme: {} }, "PLUGIN_INVALID", /did you mean "configSchema"/],
    [
      "a newer contract",
      { apiVersion: 2 },
      "CONTRACT_UNKNOWN",
      /written for contract 2, and this host knows contract 1/,
    ],
  ])("exclude the plugin for %s, a problem of the whole plugin", ([, parts, code, message]) => {
    const plugin = { id: "p", tools: [], ...parts } as Plugin;
    const written = definePlugin(plugin as never);
    for (const given of [plugin, written])
      expect(new Registry({ plugins: [given] }).diagnostics).toMatchObject([
        { code, pluginId: "p", message: expect.stringMatching(message) },
      ]);
  });
});
