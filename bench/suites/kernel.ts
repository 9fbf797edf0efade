import type { Session } from "@haft/core/kernel";
import { createHost } from "haft";
import { createHash } from "node:crypto";
import type { Suite, TimedSubject } from "../suite.ts";
import { createArguments, largeText, Supply, type Arguments } from "../work/calls.ts";
import { execute, noopPlugin, makeCalls } from "../work/noop-tool.ts";

const CALLS = 1000;
const ABOUT_HISTORY = "The number of earlier calls should not matter.";
const LARGE_CALLS = 100;

/** A host's session (policy, loop guard, ledger, a listener) with a past. */
async function calls(
  history: number,
  size: number,
  argumentsFor: (call: number) => unknown,
): Promise<TimedSubject> {
  const host = await createHost({ plugins: [noopPlugin], stateDir: false });
  const supply = new Supply(size, (call) => ({
    id: `id_${call}`,
    name: "look",
    arguments: argumentsFor(call),
  }));
  let session: Session | undefined;
  return {
    runs: size,
    async beforeRound() {
      await session?.close();
      session = await host.openSession();
      session.subscribe(() => {});
      await makeCalls(session, history);
      supply.refill();
    },
    run: () => session!.call(supply.take()),
  };
}

function bare<Item>(size: number, make: (call: number) => Item, run: (item: Item) => unknown): TimedSubject {
  const supply = new Supply(size, make);
  return { runs: size, beforeRound: () => supply.refill(), run: () => run(supply.take()) };
}

const executeText = (json: string) => execute("", JSON.parse(json) as Arguments);
const smallText = (call: number) => JSON.stringify(createArguments(call));
const largeArguments = (call: number) => JSON.parse(largeText(call)) as Arguments;

/** Several sessions have a short past. */
async function manySessions(history: number, sessions: number): Promise<TimedSubject> {
  const host = await createHost({ plugins: [noopPlugin], stateDir: false });
  const each = CALLS / sessions;
  let open: Session[] = [];
  let made = 0;
  return {
    runs: CALLS,
    async beforeRound() {
      await Promise.all(open.map((session) => session.close()));
      open = await Promise.all(Array.from({ length: sessions }, () => host.openSession()));
      for (const session of open) await makeCalls(session, history);
      made = 0;
    },
    run() {
      const session = open[Math.floor(made / each)]!;
      made++;
      return session.call({ id: `id_${made}`, name: "look", arguments: createArguments(made) });
    },
  };
}

async function longSession(history: number): Promise<TimedSubject> {
  const host = await createHost({ plugins: [noopPlugin], stateDir: false });
  const session = await host.openSession();
  await makeCalls(session, history);
  const supply = new Supply(CALLS, (call) => ({
    id: `id_${call}`,
    name: "look",
    arguments: createArguments(call),
  }));
  return { runs: CALLS, beforeRound: () => supply.refill(), run: () => session.call(supply.take()) };
}

export const suite: Suite = {
  name: "kernel",
  title: "One call of a tool that does nothing",
  cases: [
    {
      name: "arguments as an object",
      about:
        "Haft: `session.call()` with policy, duplicate check, loop guard, ledger and a listener, after 10,000 calls. " +
        "limit: the tool's function. AI SDK: 200 calls in one step of `generateText`.",
      chart: "One call of a tool that does nothing",
      subjects: {
        Haft: () => calls(10_000, CALLS, createArguments),
        limit: () => bare(CALLS, createArguments, (args) => execute("", args)),
      },
      peers: {
        "pi runToolCall": "pi",
        "AI SDK, validate and execute only": "aiSdkBare",
        "AI SDK generateText": "aiSdk",
        "MCP SDK in memory": "mcp",
      },
    },
    {
      name: "arguments as JSON text",
      about: "OpenAI Agents: `invoke()` of a function tool, which parses and does not validate.",
      subjects: {
        Haft: () => calls(10_000, CALLS, smallText),
        limit: () => bare(CALLS, smallText, executeText),
      },
      peers: { "OpenAI Agents, invocation only": "openAiAgents", "AI SDK generateText": "aiSdkText" },
    },
    {
      name: "100 KB of arguments as an object",
      about: "limit: SHA-256 of the argument, and the tool's function.",
      subjects: {
        Haft: () => calls(10_000, LARGE_CALLS, largeArguments),
        limit: () =>
          bare(LARGE_CALLS, largeArguments, (args) => {
            createHash("sha256").update(args.content!).digest("base64url");
            return execute("", args);
          }),
      },
      peers: {
        "pi runToolCall": "piLarge",
        "AI SDK, validate and execute only": "aiSdkBareLarge",
        "AI SDK generateText": "aiSdkLarge",
        "MCP SDK in memory": "mcpLarge",
      },
    },
    {
      name: "100 KB of arguments as JSON text",
      about: "limit: SHA-256 of the text, JSON parsing, and the tool's function.",
      subjects: {
        Haft: () => calls(10_000, LARGE_CALLS, largeText),
        limit: () =>
          bare(LARGE_CALLS, largeText, (json) => {
            createHash("sha256").update(json).digest("base64url");
            return executeText(json);
          }),
      },
      peers: {
        "OpenAI Agents, invocation only": "openAiAgentsLarge",
        "AI SDK generateText": "aiSdkLargeText",
      },
    },
    {
      name: "after 10 calls",
      about: ABOUT_HISTORY,
      subjects: { Haft: () => manySessions(10, 100) },
    },
    { name: "after 1,000 calls", about: ABOUT_HISTORY, subjects: { Haft: () => manySessions(1000, 2) } },
    {
      name: "after 100,000 calls",
      about: ABOUT_HISTORY,
      rounds: 10,
      subjects: { Haft: () => longSession(100_000) },
    },
  ],
};
