import { fromOpenClaw } from "@haft/adapters/openclaw";
import { fromPi, toPi } from "@haft/adapters/pi";
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkTypes } from "./check-types.ts";
import { camera, openSession, getText, type Trial, callTool } from "./trial.ts";

/** Node runs no TypeScript in packages, so this copies pi's extension. */
async function example(pi: string, folder: string, name: string): Promise<never> {
  const copied = join(folder, "extensions", name);
  mkdirSync(join(folder, "extensions"), { recursive: true });
  copyFileSync(join(folder, "node_modules", pi, "examples/extensions", name), copied);
  return (await import(pathToFileURL(copied).href)) as never;
}

/** @param pi the package, whose name changed */
const piChecks = (pi: string): Trial["checks"] => ({
  async "its own tools: `createReadTool()`, `createLsTool()`"(load, folder) {
    const { createLsTool, createReadTool } = await load(pi);
    writeFileSync(join(folder, "a.txt"), "hello\n");
    const plugin = await fromPi([createReadTool(folder), createLsTool(folder)], {
      id: "pi",
      effects: ["read"],
      rename: { read: "pi_read", ls: "pi_ls" },
    });
    assert.match(getText(await callTool(plugin, "pi_read", { path: join(folder, "a.txt") })), /hello/);
    assert.match(getText(await callTool(plugin, "pi_ls", { path: folder })), /a\.txt/);
  },
  async "an extension that registers a tool: `hello.ts`"(_load, folder) {
    const plugin = await fromPi(await example(pi, folder, "hello.ts"), { id: "hello", effects: [] });
    assert.equal(getText(await callTool(plugin, "hello", { name: "Ada" })), "Hello, Ada!");
  },
  async "an extension with state, commands and event handlers: `todo.ts`"(_load, folder) {
    const plugin = await fromPi(await example(pi, folder, "todo.ts"), { id: "todo", effects: [] });
    await using session = await openSession([plugin]);
    await session.call({ name: "todo", arguments: { action: "add", text: "buy milk" } });
    const listed = await session.call({ name: "todo", arguments: { action: "list" } });
    assert.match(getText(listed), /buy milk/);
  },
  async "an extension that asks its user: `question.ts` learns that there is no user"(_load, folder) {
    const plugin = await fromPi(await example(pi, folder, "question.ts"), { id: "question", effects: [] });
    const options = [{ label: "a" }, { label: "b" }];
    await using session = await openSession([plugin]);
    const outcome = await session.call({ name: "question", arguments: { question: "Which?", options } });
    assert.match(getText(outcome), /not available|non-interactive/i);
  },
  async "an extension that registers later, in a handler, is rejected: `dynamic-tools.ts`"(_load, folder) {
    const extension = await example(pi, folder, "dynamic-tools.ts");
    await assert.rejects(fromPi(extension, { id: "d" }), /registers no tool while it is loaded/);
  },
});

/** @param pi its packages' scope */
const intoPi = (pi: string): Trial["checks"] => ({
  async "`toPi(session)` in its agent: calls, an image, a failure, order"(load) {
    const { Agent } = await load(`${pi}/pi-agent-core`);
    const { createFauxCore, fauxAssistantMessage, fauxToolCall } = await load(`${pi}/pi-ai`);
    await using session = await openSession([camera]);
    const model = createFauxCore({});
    model.setResponses([
      fauxAssistantMessage(
        [
          fauxToolCall("photo", { of: "Ada" }, { id: "c1" }),
          fauxToolCall("photo", { of: "nobody" }, { id: "c2" }),
        ],
        { stopReason: "toolUse" },
      ),
      fauxAssistantMessage("Done."),
    ]);
    const agent = new Agent({
      streamFn: model.streamSimple,
      initialState: { model: model.models[0], systemPrompt: "", tools: toPi(session) },
    });
    await agent.prompt("Go.");
    const results = agent.state.messages.filter(({ role }: { role: string }) => role === "toolResult");
    assert.deepEqual(
      results.map(({ toolCallId, isError }: { toolCallId: string; isError: boolean }) => [
        toolCallId,
        isError,
      ]),
      [
        ["c1", false],
        ["c2", true],
      ],
    );
    assert.deepEqual(
      results[0].content.map(({ type }: { type: string }) => type),
      ["text", "image"],
    );
    assert.deepEqual(
      session.ledger().map(({ toolCallId, status }) => [toolCallId, status]),
      [
        ["c1", "completed"],
        ["c2", "failed"],
      ],
    );
  },
  async "its types accept the tools of `toPi`"(_load, folder) {
    await checkTypes(
      folder,
      `import type { AgentTool } from "${pi}/pi-agent-core";
      import { defineTool, type ExtensionAPI } from "${pi}/pi-coding-agent";
      import { toPi } from "@haft/adapters/pi";
      export const tools: AgentTool[] = toPi(null as never);
      export const custom = toPi(null as never).map((tool) => defineTool(tool));
      export default (api: ExtensionAPI) => toPi(null as never).forEach((tool) => api.registerTool(tool));`,
    );
  },
});

/** The newest versions with published dependencies. */
const PI = ["@earendil-works/pi-coding-agent", "0.87.1"] as const;
const OLDER_PI = ["@mariozechner/pi-coding-agent", "0.73.1"] as const;

export const agentTrials: readonly Trial[] = [
  {
    name: "pi",
    framework: "pi",
    packages: [PI.join("@")],
    checks: { ...piChecks(PI[0]), ...intoPi("@earendil-works") },
  },
  {
    name: "pi-older",
    framework: "pi, older package name",
    packages: [OLDER_PI.join("@")],
    checks: piChecks(OLDER_PI[0]),
  },
  {
    name: "openclaw",
    framework: "OpenClaw",
    packages: ["openclaw@2026.9.6", "typebox@1.3.27"],
    checks: {
      async "`defineToolPlugin`: tools, configuration, an optional tool"(load) {
        const { defineToolPlugin } = await load("openclaw/plugin-sdk/tool-plugin");
        const { Type } = await load("typebox");
        const entry = defineToolPlugin({
          id: "stock-quotes",
          name: "Stock quotes",
          description: "Quotes.",
          configSchema: Type.Object({ key: Type.Optional(Type.String()) }),
          // oxlint-disable-next-line typescript/no-explicit-any
          tools: (tool: any) => [
            tool({
              name: "quote",
              description: "A quote.",
              parameters: Type.Object({ symbol: Type.String() }),
              execute: async ({ symbol }: { symbol: string }, config: { key?: string }) => ({
                symbol,
                key: config.key,
              }),
            }),
            tool({
              name: "extra",
              description: "Extra.",
              parameters: Type.Object({}),
              optional: true,
              execute: async () => "extra",
            }),
          ],
        });
        const plugin = await fromOpenClaw(entry, { effects: ["network"], config: { key: "k" } });
        const outcome = await callTool(plugin, "quote", { symbol: "X" });
        assert.deepEqual(outcome.details, { symbol: "X", key: "k" });
        await assert.rejects(fromOpenClaw(entry, { config: { key: 7 } }), /refuses its configuration/);
        await using session = await openSession([plugin]);
        assert.deepEqual(
          session.tools().map(({ name }) => name),
          ["quote"],
        );
      },
      async "`definePluginEntry` with `registerTool(factory, { names })`"(load) {
        const { definePluginEntry } = await load("openclaw/plugin-sdk/plugin-entry");
        const { jsonResult } = await load("openclaw/plugin-sdk/tool-results");
        const { Type } = await load("typebox");
        const entry = definePluginEntry({
          id: "who",
          name: "Who",
          description: "Who.",
          // oxlint-disable-next-line typescript/no-explicit-any
          register(api: any) {
            const factory = ({ agentId }: { agentId: string }) => ({
              name: "who",
              label: "Who",
              description: "Who asks.",
              parameters: Type.Object({}),
              execute: async () => jsonResult({ agentId }),
            });
            api.registerTool(factory, { names: ["who"] });
          },
        });
        const outcome = await callTool(await fromOpenClaw(entry, { effects: [] }), "who", {});
        assert.deepEqual(outcome.details, { agentId: "main" });
      },
    },
  },
];
