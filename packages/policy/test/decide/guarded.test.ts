import type { SessionFacts, ToolFacts } from "@haft/core";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { describe, expect, it } from "vitest";

const tool = (id: string, effects: ToolFacts["effects"], more: Partial<ToolFacts> = {}): ToolFacts => {
  const [pluginId = "", name = ""] = id.split("/");
  return { id, name, pluginId, optional: false, effects, groups: [], builtIn: false, ...more };
};
const exec = tool("commands/exec", ["execute"], { builtIn: true, groups: ["runtime"] });
const read = tool("files/read", ["read"], { builtIn: true, groups: ["fs"] });
const agent = tool("claude/Agent", ["execute"]);
const todo = tool("claude/TodoWrite", []);
const issue = tool("mcp/create_issue", ["read", "write", "network", "message"], {
  mcp: { server: "my server", tool: "create_issue" },
  effectsUnknown: true,
});
const tools = [exec, read, agent, todo];
const facts: SessionFacts = { kind: "main", agentId: "claude", model: "", messageChannel: "", guarded: true };

function effect(config: PolicyConfig, of: ToolFacts, line?: string): string {
  const policy = createPolicy(config, { tools, partial: true });
  const subjects =
    line === undefined ? undefined : { command: { text: line, cwd: "/w", commands: [commandOf(line)] } };
  return policy.forSession(facts).call(of, {}, subjects).effect;
}

function commandOf(line: string) {
  const argv = line.split(" ");
  return { name: argv[0]!, path: `/usr/bin/${argv[0]}`, argv, through: [] };
}

describe("a session whose calls another program runs", () => {
  it("allows all tools that no rule restricts, regardless of the session table", () => {
    for (const each of [...tools, issue, tool("files/other", ["write"], { optional: true })])
      expect(effect({}, each)).toBe("allow");
  });

  it("does not require containment", () => {
    expect(effect({ exec: { preset: "contained" } }, exec, "ls")).toBe("allow");
    expect(effect({ exec: { containment: "read-only", network: "none" } }, exec, "ls")).toBe("allow");
  });

  it("still applies command lists", () => {
    expect(effect({ exec: { preset: "careful" } }, exec, "git push")).toBe("ask");
    expect(effect({ exec: { security: "allowlist", allow: ["git status"] } }, exec, "git push")).toBe("deny");
    expect(effect({ exec: { security: "allowlist", allow: ["git status"] } }, exec, "git status")).toBe(
      "allow",
    );
  });

  it("applies rules about bash to its single command tool", () => {
    expect(effect({ deny: ["bash"] }, exec, "ls")).toBe("deny");
    expect(effect({ ask: ["bash(ls*)"] }, exec, "ls")).toBe("ask");
    expect(effect({ ask: ["bash(ls*)"] }, exec, "pwd")).toBe("allow");
    expect(effect({ allow: ["bash"] }, exec, "ls")).toBe("deny");
  });

  it("asks about tools with unknown effects if a rule names an effect", () => {
    expect(effect({ deny: ["effect:message"] }, issue)).toBe("ask");
    expect(effect({ deny: ["effect:execute"] }, issue)).toBe("ask");
    expect(effect({ ask: ["effect:write"] }, issue)).toBe("ask");
    expect(effect({ allow: ["effect:read"] }, issue)).toBe("deny");
  });

  it("does not require tools without effects on lists, and denies them by name", () => {
    expect(effect({ allow: ["read"] }, todo)).toBe("allow");
    expect(effect({ profile: "minimal" }, todo)).toBe("allow");
    expect(effect({ allow: ["read"] }, agent)).toBe("deny");
    expect(effect({ deny: ["TodoWrite"] }, todo)).toBe("deny");
    expect(effect({ deny: ["claude/*"] }, todo)).toBe("deny");
  });

  it("applies rules of agents and of their subagents", () => {
    expect(effect({ agents: { claude: { deny: ["Agent"] } } }, agent)).toBe("deny");
    expect(effect({ agents: { codex: { deny: ["Agent"] } } }, agent)).toBe("allow");
    const policy = createPolicy({ subagents: { deny: ["exec"] } }, { tools, partial: true });
    expect(policy.forSession(facts).call(exec, {}).effect).toBe("allow");
    expect(policy.forSession({ ...facts, parent: facts }).call(exec, {}).effect).toBe("deny");
  });
});

describe("mcp(server/tool)", () => {
  it("selects tools of servers by normalized names", () => {
    for (const entry of [
      "mcp(my server/create_issue)",
      "mcp(my_server/create_*)",
      "mcp(my_server)",
      "mcp(*/create_issue)",
    ])
      expect(effect({ deny: [entry] }, issue)).toBe("deny");
    for (const entry of ["mcp(other/create_issue)", "mcp(my_server/delete_*)"])
      expect(effect({ deny: [entry] }, issue)).toBe("allow");
    expect(effect({ allow: ["mcp(my_server/*)"] }, issue)).toBe("allow");
    expect(effect({ allow: ["mcp(my_server/delete_*)"] }, issue)).toBe("deny");
  });

  it("accepts conditions", () => {
    const policy = createPolicy({ deny: ["mcp(my_server/*)(arg:repo=docs)"] }, { tools, partial: true });
    const session = policy.forSession(facts);
    expect(session.call(issue, { repo: "docs" }).effect).toBe("deny");
    expect(session.call(issue, { repo: "code" }).effect).toBe("allow");
  });

  it.each(["mcp()", "mcp(/x)", "mcp(a/b/c)", "mcp(a", "mcp(a/$)"])("refuses %s", (entry) => {
    expect(() => createPolicy({ deny: [entry] }, { tools })).toThrow(/mcp/);
  });
});

describe("entries for client tools", () => {
  const names = [
    "mcp(github/*)",
    "Agent",
    "NotebookEdit",
    "claude/Anything",
    "claude/*",
    "mcp/*",
    "web_fetch",
  ];
  it.each(names)("accepts %s in a host without the tool", (entry) => {
    const { warnings, unmatched } = createPolicy({ deny: [entry] }, { tools: [exec, read] });
    expect([unmatched, warnings.map(({ path }) => path)]).toEqual([[], ["deny[0]"]]);
    expect(createPolicy({ agents: { codex: { deny: [entry] } } }, { tools: [exec, read] }).warnings).toEqual(
      [],
    );
    for (const config of [{ ask: [entry] }, { allow: ["read", entry] }])
      expect(createPolicy(config, { tools: [exec, read] }).unmatched).toEqual([]);
  });

  it("reports typing errors in names of client tools", () => {
    expect(() => createPolicy({ deny: ["Agnet"] }, { tools: [exec, read] })).toThrow(/Agent/);
    expect(() => createPolicy({ deny: ["cluade/Agent"] }, { tools: [exec, read] })).toThrow(/cluade/);
  });
});

describe("documents that other hosts share", () => {
  it("may name missing tools, which allow nothing here", () => {
    const config: PolicyConfig = {
      deny: ["github/*", "rain"],
      allow: ["read", "weather", "effect:message", "node_invoke"],
      sessions: { group: { grant: ["other/tool"] } },
    };
    const policy = createPolicy(config, { tools, partial: true });
    expect(policy.warnings.length).toBeGreaterThan(0);
    expect(policy.forSession(facts).call(read, {}).effect).toBe("allow");
    expect(policy.forSession(facts).call(exec, {}).effect).toBe("deny");
    expect(() => createPolicy(config, { tools })).toThrow(/weather/);
  });
});
