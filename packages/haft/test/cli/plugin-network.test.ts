import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haftHere } from "../support/haft.ts";

const PLUGIN = `
  import { definePlugin, defineTool, Type } from "@haft/plugin-sdk";
  const parameters = Type.Object({});
  const execute = () => ({ content: [], details: {} });
  export default definePlugin({
    id: "stations",
    tools: [defineTool({ name: "station", description: "Asks.", parameters, effects: ["network"], hosts: ["api.example.com"], execute })],
  });`;
const UNHELD = "nothing restricts a connection that it opens without context.fetch";

test("explains the network of a plugin's tool, and that direct connections are not restricted", async () => {
  const { at } = await createConfiguredWorkspace({ "stations.ts": PLUGIN });
  const explain = async (...options: string[]) =>
    (await haftHere(["explain", "station", "--plugin", "../stations.ts", ...options], at)).stdout;
  expect(await explain()).toMatch(new RegExp(`network +by context.fetch the internet, .*${UNHELD}`));
  const sandboxed = await explain("--session", "sandboxed");
  expect(sandboxed).toContain("by context.fetch no hosts, because its sandbox has no network");
  expect(sandboxed).toContain(UNHELD);
  const { network } = JSON.parse(await explain("--json")) as { network?: string };
  expect(network).toContain(UNHELD);
  const { stdout } = await haftHere(["explain", "read"], at);
  expect(stdout).not.toContain("context.fetch");
});

test("shows the network of a plugin in plugins info", async () => {
  const { at } = await createConfiguredWorkspace({
    "xdg/haft/haft.config.yaml": "plugins: [./stations.ts]",
    "xdg/haft/stations.ts": PLUGIN,
  });
  const { stdout } = await haftHere(["plugins", "info", "stations"], at);
  expect(stdout).toContain(UNHELD);
  expect(stdout).toContain("station: network; hosts api.example.com");
});
