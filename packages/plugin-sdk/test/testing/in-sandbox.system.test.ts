import { expect, test } from "vitest";
import { definePlugin, defineTool, text, Type } from "../../src/index.ts";
import { createTestSession, testPlugin } from "../../src/testing/index.ts";

const log = defineTool({
  name: "log",
  description: "Adds a line to a log.",
  parameters: Type.Object({ line: Type.String({ description: "The line." }) }),
  effects: ["write"],
  async execute(_id, { line }, _signal, _onUpdate, { workspace, sessionKind }) {
    await workspace.fs.append("log.txt", new TextEncoder().encode(`${line}\n`));
    return { content: [text("done")], details: { place: workspace.describe().target, sessionKind } };
  },
});
const asks = defineTool({
  name: "ask",
  description: "Asks a server for its temperature.",
  parameters: Type.Object({}),
  effects: ["network"],
  hosts: ["api.example.com"],
  async execute(_id, _args, signal, _onUpdate, { fetch }) {
    const response = await fetch("https://api.example.com/", { signal });
    const { celsius } = (await response.json()) as { celsius: number };
    return { content: [text(celsius.toFixed())], details: {} };
  },
});
const plugin = definePlugin({ id: "lines", tools: [log] });

test("a sandboxed session calls a granted tool", async () => {
  await using session = await createTestSession(plugin, { kind: "sandboxed", files: { "a.txt": "one\n" } });
  expect(await session.call("log", { line: "hello" })).toMatchObject({
    kind: "ok",
    details: { place: "sandbox", sessionKind: "sandboxed" },
  });
  expect(await session.files.all()).toEqual({ "a.txt": "one\n", "log.txt": "hello\n" });
});

test.each([
  ["with files", plugin],
  ["with answers that were named", definePlugin({ id: "asks", tools: [asks] })],
])("a plugin without mistakes has none in a real sandbox: %s", async (_what, checked) => {
  const report = await testPlugin(checked, {
    seed: 1,
    runs: 10,
    callMs: 2_000,
    sandbox: true,
    network: { "*": () => Response.json({ celsius: 7 }) },
  });
  expect(report.checks.find(({ check }) => check === "sandbox")).toMatchObject({ status: "ok" });
  expect(report.ok).toBe(true);
});
