import { fromAISDK, toAISDK } from "@haft/adapters/ai-sdk";
import assert from "node:assert/strict";
import { camera, expectRefused, type Load, openSession, getText, type Trial, callTool } from "./trial.ts";

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Returns the result that the model received for its one call. */
async function converse(
  load: Load,
  mock: string,
  {
    rules = {},
    options = {},
    toolName = "photo",
  }: { rules?: object; options?: object; toolName?: string } = {},
): Promise<unknown> {
  const { generateText, stepCountIs, isStepCount = stepCountIs } = await load("ai");
  const { [mock]: Model } = await load("ai/test");
  await using session = await openSession([camera], rules);
  let step = 0;
  const model = new Model({
    doGenerate: async () => {
      const call = step++ === 0;
      const content = call
        ? { type: "tool-call", toolCallId: "c1", toolName, input: '{"of":"Ada"}' }
        : { type: "text", text: "Done." };
      const finishReason = { unified: call ? "tool-calls" : "stop", raw: undefined };
      return { content: [content], finishReason, usage: USAGE, warnings: [] };
    },
  });
  const ended = await generateText({
    model,
    prompt: "Go.",
    ...toAISDK(session, options),
    stopWhen: isStepCount(5),
  });
  const request = ended.content.find((part: { type: string }) => part.type === "tool-approval-request");
  if (request !== undefined) return request.toolCall.toolName as unknown;
  return model.doGenerateCalls[1].prompt.at(-1).content[0].output;
}

const inbound: Trial["checks"] = {
  "`tool()` with a zod schema: schema, defaults, result"(load) {
    return withTool(load, async (tool, z) => {
      const execute = async ({ city, days }: { city: string; days: number }) => ({ city, days });
      const weather = tool({
        description: "The weather.",
        inputSchema: z.object({ city: z.string(), days: z.number().default(2) }),
        execute,
      });
      const outcome = await callTool(fromAISDK({ weather }, { id: "w" }), "weather", { city: "Oslo" });
      assert.deepEqual(outcome.details, { city: "Oslo", days: 2 });
    });
  },
  async "`jsonSchema()` and `dynamicTool()`"(load) {
    const { dynamicTool, jsonSchema } = await load("ai");
    const echo = dynamicTool({
      description: "Echoes.",
      inputSchema: jsonSchema({ type: "object", properties: { a: { type: "string" } } }),
      execute: async (input: unknown) => input,
    });
    assert.equal(getText(await callTool(fromAISDK({ echo }, { id: "e" }), "echo", { a: "b" })), '{"a":"b"}');
  },
  "`execute` as an async generator"(load) {
    return withTool(load, async (tool, z) => {
      const steps = tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "half";
          yield "whole";
        },
      });
      assert.equal(getText(await callTool(fromAISDK({ steps }, { id: "s" }), "steps", {})), "whole");
    });
  },
  "tools without `execute`: left out with the reason"(load) {
    return withTool(load, async (tool, z) => {
      const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });
      await expectRefused(fromAISDK({ ask }, { id: "a" }), /ask has no execute/);
    });
  },
};

// Accepts any published module.
// oxlint-disable-next-line typescript/no-explicit-any
async function withTool(load: Load, body: (tool: any, z: any) => Promise<void>): Promise<void> {
  await body((await load("ai")).tool, (await load("zod")).z);
}

const toText = (what: string, mock: string, type: string): Trial["checks"] => ({
  [`\`toAISDK(session)\` in \`generateText\`, with ${what}`]: async (load) => {
    const told = await converse(load, mock);
    assert.equal((told as { type: string }).type, "content");
    const [first, second] = (told as { value: { type: string; text?: string }[] }).value;
    assert.equal(first?.text, "Of Ada:");
    assert.equal(second?.type, type);
  },
  "a call of an unknown tool reaches the session": async (load) => {
    const told = await converse(load, mock, { toolName: "foto" });
    assert.match((told as { value: string }).value, /There is no tool/);
  },
  '`toAISDK(session, { approvals: "ai-sdk" })`: the SDK asks': async (load) => {
    assert.equal(
      await converse(load, mock, { rules: { ask: ["photo"] }, options: { approvals: "ai-sdk" } }),
      "photo",
    );
  },
});

export const aiSdkTrials: readonly Trial[] = [
  {
    name: "ai-7",
    framework: "AI SDK 7",
    packages: ["ai@7.0.173", "zod@4.6.7"],
    checks: { ...inbound, ...toText("an image", "MockLanguageModelV4", "file") },
  },
  {
    name: "ai-6",
    framework: "AI SDK 6",
    packages: ["ai@6.0.325", "zod@4.6.7"],
    checks: { ...inbound, ...toText("an image", "MockLanguageModelV3", "image-data") },
  },
  {
    name: "bash-tool",
    framework: "AI SDK 7, tools of others",
    packages: ["bash-tool@1.3.19", "ai@7.0.173", "just-bash@3.4.2", "zod@4.6.7"],
    checks: {
      async "`createBashTool()` on files in memory; zod 3 schemas through `asSchema` of `ai`"(load) {
        const { createBashTool } = await load("bash-tool");
        const { tools } = await createBashTool({ files: { "a.txt": "one\ntwo\n" } });
        const { asSchema } = await load("ai");
        const toJsonSchema = (schema: unknown) => asSchema(schema).jsonSchema as unknown;
        const plugin = fromAISDK(tools, { id: "bash-tool", effects: [], toJsonSchema });
        const outcome = await callTool(plugin, "bash", { command: "wc -l < a.txt; echo three >> a.txt" });
        assert.match(getText(outcome), /2/);
        assert.match(getText(await callTool(plugin, "readFile", { path: "a.txt" })), /three/);
      },
    },
  },
];
