import { describe, expect, test } from "vitest";
import { Registry } from "../../src/compose/registry.ts";
import { definePlugin } from "../../src/contract/define-plugin.ts";
import type { Plugin } from "../../src/contract/registration.ts";
import { makeFactory, makeTool, stubWorkspace } from "../support/kernel.ts";

describe("what a registration declares", () => {
  test("its tools do no more", async () => {
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

  test.for<[string, object, RegExp]>([
    ["effects that are none", { effects: ["fly"] }, /has in tools\[0\] effects that are none/],
    ["hosts that are no list", { hosts: "example.com" }, /hosts must be a list of names/],
  ])("%s leave the plugin out", ([, parts, message]) => {
    const plugin = { id: "p", tools: [{ names: ["a"], factory: () => null, ...parts }] } as Plugin;
    expect(new Registry({ plugins: [plugin] }).diagnostics).toMatchObject([
      { code: "PLUGIN_INVALID", message: expect.stringMatching(message) },
    ]);
  });

  test.for<[string, object, string, RegExp]>([
    ["a setup that is no function", { setup: {} }, "PLUGIN_INVALID", /a setup that is no function/],
    [
      "a schema that is none",
      { configSchema: "x" },
      "PLUGIN_INVALID",
      /configSchema is a string, and no schema/,
    ],
    ["a key that is misspelled", { configScheme: {} }, "PLUGIN_INVALID", /did you mean "configSchema"/],
    [
      "a newer contract",
      { apiVersion: 2 },
      "CONTRACT_UNKNOWN",
      /written for contract 2, and this host knows contract 1/,
    ],
  ])("%s leaves it out", ([, parts, code, message]) => {
    const plugin = { id: "p", tools: [], ...parts } as Plugin;
    const written = definePlugin(plugin as never);
    for (const given of [plugin, written])
      expect(new Registry({ plugins: [given] }).diagnostics).toMatchObject([
        { code, pluginId: "p", message: expect.stringMatching(message) },
      ]);
  });
});
