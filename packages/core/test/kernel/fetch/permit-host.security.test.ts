import { expect, test } from "vitest";
import type { Decision, Policy, TraceStep } from "../../../src/contract/policy-port.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { getCode, makeFactory, makeTool, createTestPolicy, stubWorkspace } from "../../support/kernel.ts";
import { createScriptedNetwork, openFetchSession } from "./support.ts";

/** Rules that ask, each about all calls or about hosts alone. */
function askingPolicy(...rules: (true | string)[]): Policy {
  const session = {
    visibility: () => decision([]),
    needsSubjects: () => true,
    call: (_tool: unknown, _args: unknown, subjects?: { hosts?: readonly string[] }) =>
      decision(
        rules.filter(
          (rule) =>
            rule === true ||
            (subjects?.hosts ?? ["unknown"]).some((host) => host === rule || host === "unknown"),
        ),
      ),
  };
  return { forSession: () => session };
}

function decision(asked: readonly (true | string)[]): Decision {
  const trace = asked.map((rule): TraceStep => ({
    layer: "ask",
    rule: String(rule),
    source: "test",
    verdict: "ask",
  }));
  const effect = asked.length === 0 ? "allow" : "ask";
  return { effect, id: effect, reason: `Rules: ${asked.join(", ")}.`, trace };
}

const yes = { ask: async () => ({ decision: "allow-once" as const }) };

test.each<[string, (true | string)[], string[] | undefined, string, string]>([
  ["nothing asks", ["b.example.com"], ["a.example.com"], "a.example.com", "ok"],
  [
    "a rule asks about the host, which was planned",
    ["a.example.com"],
    ["a.example.com"],
    "a.example.com",
    "ok",
  ],
  ["… and was not", ["b.example.com"], ["a.example.com"], "b.example.com", "HOST_DENIED"],
  ["… and nothing was planned", ["b.example.com"], undefined, "b.example.com", "HOST_DENIED"],
  ["a rule asks about every call", [true], undefined, "b.example.com", "ok"],
  ["… and another host was planned", [true], ["a.example.com"], "b.example.com", "HOST_DENIED"],
  [
    "one asks about every call, another about the host",
    [true, "b.example.com"],
    undefined,
    "b.example.com",
    "HOST_DENIED",
  ],
  ["a plan that names no host", [true], [], "b.example.com", "HOST_DENIED"],
])("%s", async (_what, rules, hosts, host, code) => {
  const { start } = await openFetchSession(createScriptedNetwork({}), {
    policy: askingPolicy(...rules),
    approver: yes,
    ...(hosts !== undefined && { plan: () => ({ subjects: { hosts } }) }),
  });
  expect(getCode(await start(({ fetch }) => fetch(`http://${host}/`)))).toBe(code);
});

test("applies replaced rules to the next host of a running tool", async () => {
  const reached: string[] = [];
  const network = {
    request: async ({ url }: { url: string }) => {
      reached.push(url);
      return { status: 200, statusText: "", headers: [] };
    },
  };
  const codes: unknown[] = [];
  const factory = makeFactory({
    tools: [
      makeTool("go", {
        effects: ["network"],
        async execute(_id, _params, _signal, _onUpdate, { fetch }) {
          await fetch("http://example.com/1");
          factory.replacePolicy(createTestPolicy({ call: () => "deny" }));
          codes.push(
            await fetch("http://example.com/2").catch((error: unknown) => (error as { code: string }).code),
          );
          return { content: [], details: {} };
        },
      }),
    ],
  });
  const session = await factory.open({ kind: "main", workspace: stubWorkspace(), network });
  expect(getCode(await session.call({ name: "go", arguments: {} }))).toBe("ok");
  expect([reached, codes]).toEqual([["http://example.com/1"], ["HOST_DENIED"]]);
});

test.each([
  [["api.example.com"], "api.example.com", true],
  [["api.example.com"], "API.example.com.", true],
  [["api.example.com"], "evil-api.example.com", false],
  [["api.example.com"], "api.example.com.evil.example.net", false],
  [["*.example.com"], "a.b.example.com", true],
  [["*.example.com"], "example.com", false],
  [["*.example.com"], "notexample.com", false],
  [["127.0.0.1"], "2130706433", true],
  [["127.0.0.1"], "127.0.0.2", false],
  [["::1"], "[0:0:0:0:0:0:0:1]", true],
])("limits a tool that declares %j and %s", async (hosts, host, reaches) => {
  const { start, asked } = await openFetchSession(createScriptedNetwork({}), { hosts });
  expect(getCode(await start(({ fetch }) => fetch(`http://${host}/`)))).toBe(
    reaches ? "ok" : "NETWORK_UNDECLARED",
  );
  expect(asked.length).toBe(reaches ? 1 : 0);
});

test.each([
  [[]],
  ["api.example.com"],
  [["https://api.example.com"]],
  [["API.example.com"]],
  [["a.example.com/x"]],
  [["*"]],
  [["a.*.com"]],
  [[7]],
  [["127.1"]],
])("excludes a tool with invalid hosts: %j", async (hosts) => {
  const { session, start } = await openFetchSession(createScriptedNetwork({}), { hosts: hosts as string[] });
  expect(session.diagnostics()[0]).toMatchObject({
    code: "TOOL_INVALID",
    message: expect.stringContaining("hosts"),
  });
  expect(getCode(await start(() => {}))).toBe("TOOL_UNAVAILABLE");
});

const asks: Tool["execute"] = async (_id, _params, _signal, _onUpdate, { fetch }) => {
  await fetch("http://example.com/");
  return { content: [], details: {} };
};

test("fails in a session without a network, and asks no rule for a tool without the effect", async () => {
  const tools = [
    makeTool("go", {
      effects: ["network"],
      execute: asks,
    }),
    makeTool("reader", {
      effects: ["read"],
      execute: asks,
    }),
  ];
  const session = await makeFactory({ tools }).open({ kind: "main", workspace: stubWorkspace() });
  expect(getCode(await session.call({ name: "go", arguments: {} }))).toBe("NO_NETWORK");
  expect(await session.call({ name: "reader", arguments: {} })).toMatchObject({
    code: "NETWORK_UNDECLARED",
    receipt: "none",
  });
});
