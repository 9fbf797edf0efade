import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haftHere } from "../support/haft.ts";

const CONFIG = `import { defineConfig } from "haft";
import { greet } from "./greet.ts";
export default defineConfig({ plugins: [greet], policy: { deny: ["exec"] } });
`;
const GREET = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const tool = defineTool({
  name: "greet",
  description: "Greets.",
  parameters: Type.Object({ name: Type.String() }),
  effects: [],
  execute: async (_id: string, { name }: { name: string }) => ({ content: [text("hello " + name)], details: {} }),
});
export const greet = definePlugin({ id: "greeter", tools: [tool] });
`;
const line = (id: string, name: string, args: object) => `${JSON.stringify({ id, name, arguments: args })}\n`;

describe("a code configuration of the operator", () => {
  test("loads plugins, with packages of Haft if it has none, and keeps its own imports", async () => {
    const { at } = await createConfiguredWorkspace({ "w/c.ts": CONFIG, "w/greet.ts": GREET });
    const input = [
      line("1", "greet", { name: "you" }),
      line("2", "exec", { command: "true" }),
      line("3", "write", { path: "greet.ts", content: "evil" }),
      line("4", "write", { path: "c.ts", content: "evil" }),
      line("5", "write", { path: "other.ts", content: "fine" }),
    ].join("");
    const run = await haftHere(["run", "--json", "--config", "c.ts"], { ...at, input });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.lines().map(({ kind }) => kind)).toEqual(["ok", "blocked", "error", "error", "ok"]);
    expect(run.lines()[0].content).toEqual([{ type: "text", text: "hello you" }]);
    expect(await readFile(join(at.cwd, "greet.ts"), "utf8")).toBe(GREET);
  });

  test("works as the user's own, and is shown by names", async () => {
    const { at } = await createConfiguredWorkspace({
      "xdg/haft/haft.config.ts": CONFIG,
      "xdg/haft/greet.ts": GREET,
    });
    const run = await haftHere(["config", "show", "--json"], at);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.lines()[0].values).toContainEqual({
      key: "plugins[0]",
      value: "greeter",
      from: join(at.env.XDG_CONFIG_HOME, "haft/haft.config.ts"),
    });
  });

  test("reports load errors and invalid values; that of a workspace does not load", async () => {
    const broken = {
      "throws.ts": 'throw new Error("no luck")',
      "nothing.js": "export const config = {}",
      "enum.ts": "enum A { B }\nexport default {}",
      "missing.ts": 'import "./gone.ts"\nexport default {}',
      "key.js": "export default { polcy: {} }",
      "list.js": "export default []",
    };
    const files = Object.entries(broken).map(([name, text]) => [`w/${name}`, text]);
    const { at } = await createConfiguredWorkspace({
      ...Object.fromEntries(files),
      "w/haft.config.js": 'console.log("ran")\nexport default {}',
    });
    const run = await haftHere(["config", "check", ...Object.keys(broken)], at);
    expect(run.code).toBe(1);
    for (const message of [
      /^throws\.ts: .*throws\.ts cannot be loaded: no luck\.$/m,
      /^nothing\.js: .* cannot be loaded: it has no default export; write export default defineConfig/m,
      /^enum\.ts: .* cannot be loaded: .*enum/m,
      /^missing\.ts: .* cannot be loaded: .*gone\.ts/m,
      /^key\.js: polcy: There is no such key.*Did you mean "policy"\?$/m,
      /^list\.js: Expected object/m,
    ])
      expect(run.stderr).toMatch(message);
    const tools = await haftHere(["tools"], at);
    expect(tools.code).toBe(0);
    expect(tools.stdout).not.toContain("ran");
    expect(tools.stderr).toMatch(
      /haft\.config\.js is code, and that of a workspace is loaded once you trust it: haft config trust /,
    );
  });
});
