import { fromLangChain } from "@haft/adapters/langchain";
import { fromMastra } from "@haft/adapters/mastra";
import { fromOpenAIAgents, toOpenAIAgents } from "@haft/adapters/openai-agents";
import { definePlugin, defineTool, text } from "@haft/core";
import { Type } from "@haft/plugin-sdk";
import assert from "node:assert/strict";
import { expectRefused, openSession, getText, type Trial, callTool } from "./trial.ts";

const greeter = definePlugin({
  id: "g",
  tools: [
    defineTool({
      name: "greet",
      description: "Greets.",
      parameters: Type.Object({ name: Type.String() }),
      effects: [],
      execute: (_id, { name }) => ({ content: [text(`Hello, ${name}.`)], details: {} }),
    }),
  ],
});

export const frameworkTrials: readonly Trial[] = [
  {
    name: "openai-agents",
    framework: "OpenAI Agents SDK",
    packages: ["@openai/agents@0.20.0", "zod@4.6.7"],
    checks: {
      async "`tool()`, strict with zod"(load) {
        const { tool } = await load("@openai/agents");
        const { z } = await load("zod");
        const add = tool({
          name: "add",
          description: "Adds.",
          parameters: z.object({ a: z.number(), b: z.number() }),
          execute: async ({ a, b }: { a: number; b: number }) => a + b,
        });
        assert.equal(
          getText(await callTool(fromOpenAIAgents([add], { id: "a" }), "add", { a: 1, b: 2 })),
          "3",
        );
      },
      async "`needsApproval`: a person is asked"(load) {
        const { tool } = await load("@openai/agents");
        const { z } = await load("zod");
        const execute = async () => "paid";
        const pay = tool({
          name: "pay",
          description: "Pays.",
          parameters: z.object({}),
          needsApproval: true,
          execute,
        });
        await using session = await openSession([fromOpenAIAgents([pay], { id: "p" })]);
        assert.equal((await session.call({ name: "pay", arguments: {} })).kind, "pending");
      },
      async "hosted tools: left out with the reason"(load) {
        const { webSearchTool } = await load("@openai/agents");
        await expectRefused(fromOpenAIAgents([webSearchTool()], { id: "w" }), /is run by OpenAI/);
      },
      async "`toOpenAIAgents(session)` with the SDK's runner"(load) {
        const { Agent, Runner } = await load("@openai/agents");
        const { assistantMessage, functionCall, ScriptedModel } = await load("@openai/agents-core/testing");
        await using session = await openSession([greeter]);
        const model = new ScriptedModel([
          [functionCall("greet", { name: "Ada" }, { callId: "c1" })],
          [assistantMessage("Done.")],
        ]);
        const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session) });
        const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Go.");
        assert.equal(finalOutput, "Done.");
        assert.match(JSON.stringify(model.lastCall.request.input), /Hello, Ada/);
      },
    },
  },
  {
    name: "langchain",
    framework: "LangChain",
    packages: ["@langchain/core@1.4.0", "zod@4.6.7"],
    checks: {
      async "`tool()` with zod, and with JSON Schema"(load) {
        const { tool } = await load("@langchain/core/tools");
        const { z } = await load("zod");
        const add = ({ a }: { a: number }) => a + 1;
        const schemas = [
          z.object({ a: z.number() }),
          { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
        ];
        for (const schema of schemas) {
          const made = tool(add, { name: "add", description: "Adds.", schema });
          assert.equal(getText(await callTool(fromLangChain([made], { id: "a" }), "add", { a: 1 })), "2");
        }
      },
      async "`DynamicTool`, which takes text"(load) {
        const { DynamicTool } = await load("@langchain/core/tools");
        const func = async (input: string) => input.toUpperCase();
        const upper = new DynamicTool({ name: "upper", description: "Upper case.", func });
        assert.equal(
          getText(await callTool(fromLangChain([upper], { id: "u" }), "upper", { input: "a" })),
          "A",
        );
      },
    },
  },
  {
    name: "langchain-community",
    framework: "LangChain community tools",
    packages: ["@langchain/community@1.1.29", "@langchain/core@1.4.0"],
    checks: {
      async "`Calculator`"(load) {
        const { Calculator } = await load("@langchain/community/tools/calculator");
        const plugin = fromLangChain([new Calculator()], { id: "c", effects: [] });
        assert.equal(getText(await callTool(plugin, "calculator", { input: "2 * (3 + 4)" })), "14");
      },
    },
  },
  {
    name: "mastra",
    framework: "Mastra",
    packages: ["@mastra/core@1.71.0", "zod@4.6.7"],
    checks: {
      async "`createTool()` with zod: schema, defaults, result, `writer`"(load) {
        const { createTool } = await load("@mastra/core/tools");
        const { z } = await load("zod");
        const weather = createTool({
          id: "get-weather",
          description: "The weather.",
          inputSchema: z.object({ city: z.string(), days: z.number().default(2) }),
          execute: async (
            input: object,
            context: { writer?: { write: (chunk: unknown) => Promise<void> } },
          ) => {
            await context.writer?.write("asking");
            return input;
          },
        });
        const plugin = fromMastra({ weather }, { id: "w" });
        assert.deepEqual((await callTool(plugin, "get-weather", { city: "Oslo" })).details, {
          city: "Oslo",
          days: 2,
        });
      },
      async "arguments that its own schema rejects are an error"(load) {
        const { createTool } = await load("@mastra/core/tools");
        const { z } = await load("zod");
        const inputSchema = z.object({ n: z.number().refine((n: number) => n % 2 === 0, "must be even") });
        const even = createTool({
          id: "even",
          description: "Even.",
          inputSchema,
          execute: async () => "ran",
        });
        await using session = await openSession([fromMastra([even], { id: "e" })]);
        const outcome = await session.call({ name: "even", arguments: { n: 3 } });
        assert.equal(outcome.kind, "error");
        assert.match(getText(outcome), /must be even/);
      },
      async "`requireApproval`, also as a function: a person is asked"(load) {
        const { createTool } = await load("@mastra/core/tools");
        const { z } = await load("zod");
        const parts = {
          description: "Pays.",
          inputSchema: z.object({ n: z.number() }),
          execute: async () => "paid",
        };
        const always = createTool({ ...parts, id: "always", requireApproval: true });
        const large = createTool({
          ...parts,
          id: "large",
          requireApproval: async ({ n }: { n: number }) => n > 10,
        });
        await using session = await openSession([fromMastra([always, large], { id: "p" })]);
        const kinds: string[] = [];
        for (const [name, n] of [
          ["always", 1],
          ["large", 1],
          ["large", 11],
        ] as const)
          kinds.push((await session.call({ name, arguments: { n } })).kind);
        assert.deepEqual(kinds, ["pending", "ok", "pending"]);
      },
      async "`mcp.annotations` as hints"(load) {
        const { createTool } = await load("@mastra/core/tools");
        const mcp = { annotations: { readOnlyHint: true, openWorldHint: false } };
        const look = createTool({ id: "look", description: "Looks.", mcp, execute: async () => "seen" });
        assert.equal((await callTool(fromMastra([look], { id: "l" }), "look", {})).receipt, "none");
      },
      async "a tool that suspends fails with the reason"(load) {
        const { createTool } = await load("@mastra/core/tools");
        const ask = createTool({
          id: "ask",
          description: "Asks.",
          execute: async (
            _input: unknown,
            context: { agent?: { suspend: (payload: unknown) => Promise<void> } },
          ) => context.agent?.suspend({}),
        });
        await using session = await openSession([fromMastra([ask], { id: "a" })]);
        const outcome = await session.call({ name: "ask", arguments: {} });
        assert.match(getText(outcome), /suspended its run/);
      },
    },
  },
];
