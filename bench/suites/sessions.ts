import type { Policy } from "@haft/core";
import { Registry, type Session, SessionFactory, type SessionOptions } from "@haft/core/kernel";
import { definePlugin, defineTool, text, type AnyTool, type Plugin } from "@haft/plugin-sdk";
import { createPolicy } from "@haft/policy";
import { createHostWorkspace } from "@haft/workspace";
import { createHost } from "haft";
import type { Case, Subject, Suite, TimedSubject } from "../suite.ts";
import { heapInUse, schema } from "../work/calls.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const OPEN_SESSIONS = 10_000;
const REGISTERED = 1000;
const PLUGINS = 50;

function toolNamed(name: string): AnyTool {
  return defineTool({
    name,
    description: "Does nothing.",
    parameters: schema as never,
    effects: ["read"],
    execute: async () => ({ content: [text("ok")], details: {} }),
  });
}

function pluginWith(tools: number): Plugin {
  return definePlugin({
    id: "bench",
    tools: Array.from({ length: tools }, (_, index) => toolNamed(`tool_${index}`)),
  });
}

async function policyFor(registry: Registry): Promise<Policy> {
  return createPolicy({}, { tools: await registry.survey(SILENT) });
}

async function factoryFor(tools: number): Promise<{ sessions: SessionFactory; options: SessionOptions }> {
  const registry = new Registry({ plugins: [pluginWith(tools)] });
  const sessions = new SessionFactory({ registry, policy: await policyFor(registry) });
  return {
    sessions,
    options: { kind: "main", workspace: createHostWorkspace({ root: import.meta.dirname }) },
  };
}

/** A host's later session. */
async function anotherSession(tools: number): Promise<TimedSubject> {
  const { sessions, options } = await factoryFor(tools);
  return { run: () => sessions.open(options) };
}

/** Two tools each: one static, and one from a factory per session. */
function manyPlugins(count: number): Plugin[] {
  return Array.from({ length: count }, (_, index) =>
    definePlugin({
      id: `bench-${index}`,
      tools: [
        toolNamed(`finished_${index}`),
        { factory: () => toolNamed(`made_${index}`), names: [`made_${index}`] },
      ],
    }),
  );
}

/** A later session of the preset host with built-in tools. */
async function hostSession(plugins: readonly Plugin[] = []): Promise<TimedSubject> {
  const host = await createHost({ workspaceDir: import.meta.dirname, stateDir: false, plugins });
  await (await host.openSession()).close();
  let open: Session[] = [];
  return {
    runs: 1000,
    async beforeRound() {
      await Promise.all(open.map((session) => session.close()));
      open = [];
    },
    run: async () => open.push(await host.openSession()),
    close: () => host.close(),
  };
}

function firstSession(tools: number): TimedSubject {
  const plugin = pluginWith(tools);
  let registry: Registry;
  let policy: Policy;
  return {
    runs: Math.max(5, 1000 / tools),
    async before() {
      registry = new Registry({ plugins: [plugin] });
      policy = await policyFor(new Registry({ plugins: [plugin] }));
    },
    run: () =>
      new SessionFactory({ registry, policy }).open({
        kind: "main",
        workspace: createHostWorkspace({ root: import.meta.dirname }),
      }),
  };
}

function openingWith(tools: number): Case[] {
  const count = tools.toLocaleString("en");
  return [
    {
      name: `open a session, ${count} tools`,
      about:
        "The tools were composed for an earlier session. limit: a new Map of them. AI SDK: an object of them. " +
        "MCP SDK: a server. pi: its 4 tools.",
      subjects: {
        Haft: () => anotherSession(tools),
        limit: () => {
          const all = pluginWith(tools).tools.map(({ names }) => [names[0], names] as const);
          return { run: () => new Map(all) };
        },
      },
      peers: {
        "AI SDK": `aiSdkSet${tools}`,
        ...(tools === 10 ? { pi: "piTools" } : {}),
        ...(tools <= 100 ? { "MCP SDK": `mcpServer${tools}` } : {}),
      },
    },
    {
      name: `open the first session, ${count} tools`,
      about: "Runs factories, checks tools and decides their visibility.",
      subjects: { Haft: () => firstSession(tools) },
    },
  ];
}

/** Heap per open session. */
function memoryOf(open: () => Promise<Session>): Subject {
  return {
    async sample() {
      await open();
      const kept: Session[] = [];
      const before = heapInUse();
      for (let i = 0; i < OPEN_SESSIONS; i++) kept.push(await open());
      const bytes = (heapInUse() - before) / kept.length;
      return { bytes };
    },
  };
}

export const suite: Suite = {
  name: "sessions",
  title: "Tools and sessions",
  cases: [
    {
      name: "register one of 1,000 tools",
      about: "Includes `defineTool`. Schemas are compiled at the first call.",
      subjects: {
        Haft: () => ({
          operations: REGISTERED,
          run: () => new Registry({ plugins: [pluginWith(REGISTERED)] }),
        }),
        limit: () => ({
          operations: REGISTERED,
          run() {
            const tools = new Map<string, AnyTool>();
            for (let i = 0; i < REGISTERED; i++) tools.set(`tool_${i}`, toolNamed(`tool_${i}`));
            return tools;
          },
        }),
      },
      peers: { "AI SDK": "aiSdkRegister", "MCP SDK": "mcpRegister", "OpenAI Agents": "openAiAgentsRegister" },
    },
    ...[10, 100, 1000].flatMap(openingWith),
    {
      name: "open a session of a host",
      about: "With built-in tools, a workspace and a policy. pi: its 4 tools.",
      subjects: { Haft: () => hostSession() },
      peers: { pi: "piTools" },
    },
    {
      name: `open a second session of a host, ${PLUGINS} plugins`,
      about: "With built-in tools. Each plugin has one static tool and one from a factory.",
      subjects: { Haft: () => hostSession(manyPlugins(PLUGINS)) },
    },
    {
      name: "memory of one of 10,000 open sessions",
      about: "Haft: with built-in tools. Others: with 4 tools.",
      warmUp: "opened one",
      metrics: [{ key: "bytes", label: "", unit: "bytes" }],
      rounds: 3,
      fresh: true,
      subjects: {
        Haft: async () => {
          const host = await createHost({ workspaceDir: import.meta.dirname, stateDir: false });
          return memoryOf(() => host.openSession());
        },
      },
      peers: { pi: "piMemory", "AI SDK": "aiSdkMemory", "MCP SDK": "mcpMemory" },
    },
  ],
};
