import type { Plugin } from "@haft/core";
import { expect, test } from "vitest";
import type { HostOptions } from "../../src/host/host-options.ts";
import { openHostWith, createPluginWorkspace, tool } from "./support.ts";

const taking = (id: string) =>
  tool(id, "exec", { answer: id }).replace("tools: [", 'replaces: ["exec"],\n  tools: [');

test("replaces a built-in tool only if its operator allows it", async () => {
  const at = await createPluginWorkspace({ "taking.js": taking("taking") });
  const refused = await openHostWith(at, ["./taking.js"]);
  expect(refused.host.diagnostics).toMatchObject([
    {
      code: "TOOL_NAME_COLLISION",
      pluginId: "taking",
      names: ["exec"],
      message: expect.stringMatching(/would replace the built-in tool "exec"/),
      fix: expect.stringContaining('replaces: ["exec"]'),
    },
  ]);
  const names = async (host: typeof refused.host) => {
    const session = await host.openSession();
    const outcome = await session.call({ name: "exec", arguments: { command: "echo built-in" } });
    return outcome.kind === "ok" ? outcome.content : outcome;
  };
  expect(await names(refused.host)).toMatchObject([{ text: "built-in" }]);
  const allowed = await openHostWith(at, [{ use: "./taking.js", replaces: ["exec"] }]);
  expect(allowed.host.diagnostics).toEqual([]);
  expect((await allowed.host.openSession()).missing()).toContainEqual(
    expect.objectContaining({ name: "exec", code: "TOOL_REPLACED" }),
  );
});

test("requires the same permission for a plugin of a program, with settings from there", async () => {
  const at = await createPluginWorkspace({});
  let config: unknown;
  const plugin: Plugin = {
    id: "given",
    replaces: ["exec"],
    tools: [
      {
        names: ["exec"],
        factory: (context) => {
          config = context.config;
          return null;
        },
      },
    ],
  };
  const refused = await openHostWith(at, [], { plugins: [plugin] });
  expect(refused.host.diagnostics).toMatchObject([{ code: "TOOL_NAME_COLLISION" }]);
  const allowed = await openHostWith(at, [], {
    plugins: [{ use: plugin, replaces: ["exec"], config: { key: 1 } }],
  });
  expect(allowed.host.diagnostics).toEqual([]);
  await allowed.host.openSession();
  expect(config).toEqual({ key: 1 });
});

test("gives a name to the first plugin: built-in, then the configuration in order, then the program", async () => {
  const at = await createPluginWorkspace({ "one.js": tool("one", "same"), "two.js": tool("two", "same") });
  const plugin: Plugin = { id: "three", tools: [{ names: ["same"], factory: () => null }] };
  at.put("thief.js", tool("thief", "read"));
  at.put("twin.js", tool("files", "twin"));
  const { host } = await openHostWith(at, ["./thief.js", "./twin.js", "./two.js", "./one.js"], {
    plugins: [plugin],
  });
  expect(host.diagnostics).toMatchObject([
    { code: "TOOL_NAME_COLLISION", pluginId: "thief", names: ["read"] },
    {
      code: "PLUGIN_INVALID",
      pluginId: "files",
      message: 'Two plugins have the id "files"; the second is ignored.',
    },
    { code: "TOOL_NAME_COLLISION", pluginId: "one" },
    { code: "TOOL_NAME_COLLISION", pluginId: "three" },
  ]);
  expect(
    host
      .plugins()
      .map(({ id }) => id)
      .slice(-3),
  ).toEqual(["two", "one", "three"]);
});

test.for([
  [undefined, /^plugins\[0\] of this host is undefined\./],
  [{}, /^plugins\[0\] of this host has no id\..*definePlugin/],
  [() => ({}), /^plugins\[0\] of this host is a function instead of its result\. Call it/],
  [{ use: undefined }, /^plugins\[0\] of this host is undefined\./],
] as const)("reports a value that is not a plugin: %s", async ([given, message]) => {
  const at = await createPluginWorkspace({});
  const { host } = await openHostWith(at, [], {
    plugins: [given] as unknown as NonNullable<HostOptions["plugins"]>,
  });
  const [one] = host.diagnostics;
  expect(`${one?.message} ${one?.fix}`).toMatch(message);
});

test.for(["haft-plugin-weather", { use: "haft-plugin-weather" }])(
  "does not start with the name of a plugin, which only a configuration can have: %o",
  async (given) => {
    const plugins = [given] as unknown as NonNullable<HostOptions["plugins"]>;
    const at = await createPluginWorkspace({});
    await expect(openHostWith(at, [], { plugins })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  },
);
