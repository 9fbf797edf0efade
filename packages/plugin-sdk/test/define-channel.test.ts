import { Registry, SessionFactory } from "@haft/core/kernel";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, test } from "vitest";
import {
  type ChannelAgentToolFactory,
  defineChannel,
  defineTool,
  type Plugin,
  text,
  Type,
  type Workspace,
} from "../src/index.ts";

const allow = { effect: "allow" as const, id: "test", reason: "allowed", trace: [] };
const workspace = {
  fs: undefined as never,
  describe: () => ({ target: "host" as const, cwd: "/", mounts: [], boundary: "none" as const }),
} satisfies Workspace;
const tool = (name: string) =>
  defineTool({
    name,
    description: "One.",
    parameters: Type.Object({}),
    effects: ["message"],
    execute: () => ({ content: [text(name)], details: {} }),
  });

/** The names of the tools that sessions of a channel have. */
async function toolsIn(plugin: Plugin, messageChannel: string): Promise<string[]> {
  const factory = new SessionFactory({
    registry: new Registry({ plugins: [plugin] }),
    policy: { forSession: () => ({ visibility: () => allow, call: () => allow }) },
  });
  const session = await factory.open({ kind: "main", workspace, messageChannel });
  expect(session.missing().every(({ code }) => code === "TOOL_WITHHELD")).toBe(true);
  return session.tools().map(({ name }) => name);
}

const react: ChannelAgentToolFactory = ({ messageChannel }) => tool(`react_${messageChannel}`);

test("its tools are only available in its channel", async () => {
  const plugin = defineChannel({
    id: "telegram",
    tools: [tool("sticker"), { names: ["react_telegram"], factory: react }],
  });
  expect(await toolsIn(plugin, "telegram")).toEqual(["sticker", "react_telegram"]);
  expect(await toolsIn(plugin, "mail")).toEqual([]);
  expect(await toolsIn(plugin, "")).toEqual([]);
});

test("it may serve several channels, and a tool may serve fewer", async () => {
  const plugin = defineChannel({
    id: "telegram",
    channels: ["telegram", "business"],
    tools: [tool("sticker"), { names: ["react_business"], channels: ["business"], factory: react }],
  });
  expect(await toolsIn(plugin, "telegram")).toEqual(["sticker"]);
  expect(await toolsIn(plugin, "business")).toEqual(["sticker", "react_business"]);
});

test("it is a plugin in all else: configured, set up, and kept by the module that defines it", async () => {
  const plugin = defineChannel({
    id: "telegram",
    config: { token: "t" },
    configSchema: Type.Object({ token: Type.String() }),
    setup: ({ config }) => ({ token: config.token.toUpperCase() }),
    tools: [
      {
        names: ["ask_T"],
        factory: ({ state }) => {
          expectTypeOf(state).toEqualTypeOf<{ token: string }>();
          return tool(`ask_${state.token}`);
        },
      },
    ],
  });
  expect(await toolsIn(plugin, "telegram")).toEqual(["ask_T"]);
  expect(plugin.source).toBe(fileURLToPath(import.meta.url));
  expect(plugin).not.toHaveProperty("channels");
});

test.for([{ tools: undefined }, { tools: [null] }])(
  "leaves an invalid list of tools to the host, which reports it: %j",
  (parts) => {
    const plugin = defineChannel({ id: "telegram", ...(parts as { tools: never[] }) });
    expect(new Registry({ plugins: [plugin] }).diagnostics).toMatchObject([{ code: "PLUGIN_INVALID" }]);
  },
);
