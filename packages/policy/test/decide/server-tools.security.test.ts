import type { SessionFacts, ToolFacts } from "@haft/core";
import { createPolicy } from "@haft/policy";
import { describe, expect, it } from "vitest";
import { getProblems } from "../fixtures.ts";

const tool = (id: string, effects: ToolFacts["effects"], more: Partial<ToolFacts> = {}): ToolFacts => {
  const [pluginId = "", name = ""] = id.split("/");
  return { id, name, pluginId, optional: false, effects, groups: [], builtIn: false, ...more };
};
const exec = tool("commands/exec", ["execute"], { builtIn: true, groups: ["runtime"] });
const read = tool("files/read", ["read"], { builtIn: true, groups: ["fs"] });
const mounted = tool("mcp-tickets/tickets_delete_repo_1a2b3c4d", ["write"], {
  groups: ["mcp"],
  mcp: { server: "tickets", tool: "delete.repo" },
});
const tools = [exec, read, mounted];
const facts: SessionFacts = { kind: "main", agentId: "main", model: "", messageChannel: "" };

describe("rules about MCP tools in a host that mounts the server", () => {
  it.each(["mcp(tickets/*)", "mcp(*/delete.repo)", "mcp(tickets/delete_*)", "mcp", "mcp/*"])(
    "deny: %s",
    (entry) => {
      const policy = createPolicy({ deny: [entry] }, { tools });
      expect(policy.forSession(facts).call(mounted, {}).effect).toBe("deny");
      expect(policy.forSession(facts).visibility(mounted).effect).toBe("deny");
      expect(policy.forSession(facts).call(read, {}).effect).toBe("allow");
    },
  );

  it("do not match other servers, and warn with the nearest server", () => {
    const policy = createPolicy({ deny: ["mcp(tikets/*)"] }, { tools });
    expect(policy.forSession(facts).call(mounted, {}).effect).toBe("allow");
    expect(policy.warnings).toMatchObject([{ path: "deny[0]", nearest: ["mcp(tickets/*)"] }]);
  });

  it("accept groups of servers without any server", () => {
    for (const group of ["group:mcp", "group:unknown-effects", "group:hinted-effects"])
      expect(createPolicy({ deny: [group], ask: [] }, { tools: [read] }).unmatched).toEqual([]);
    expect(getProblems(() => createPolicy({ deny: ["group:mcp-tickets"] }, { tools }))).toHaveLength(1);
  });
});

describe("in a policy that other hosts share, errors are", () => {
  const problems = (entry: string, list = "deny") =>
    getProblems(() => createPolicy({ [list]: [entry] }, { tools, partial: true }));

  it.each([
    ["exce(git push *)", "exec(git push *)"],
    ["exce", "exec"],
    ["Bash(git push *)", "exec(git push *)"],
    ["Shell(git push *)", "exec(git push *)"],
    ["Read(path:.env)", "read(path:.env)"],
    ["read(git *)", "read(path:git *)"],
    ["group:f", "group:fs"],
    ["grop:fs", "group:fs"],
  ])("%s", (entry, nearest) => {
    for (const list of ["deny", "ask"]) {
      const [problem, ...others] = problems(entry, list);
      expect(others).toEqual([]);
      expect(problem?.nearest?.[0]).toBe(nearest);
    }
  });

  it.each(["runner(git push *)", "group:tickets"])("%s, also without a similar name", (entry) => {
    expect(problems(entry)).toHaveLength(1);
  });

  it.each([
    "word-count",
    "wiki_search",
    "wiki_search(path:x)",
    "mcp-wiki",
    "web_fetch",
    "group:hinted-effects",
  ])("not %s, which another host may have", (entry) => {
    expect(problems(entry)).toEqual([]);
  });

  it("not the same entries of a workspace or an administrator", () => {
    const document = { config: { deny: ["exce(git push *)", "group:f"] }, source: "a.yaml" };
    for (const more of [{ workspace: [document] }, { administrator: document }])
      expect(createPolicy({}, { tools, partial: true, ...more }).unmatched).toHaveLength(2);
  });
});

it("a guarded session names the list that allows a command", () => {
  const policy = createPolicy({ exec: { allow: ["npm test"] } }, { tools, partial: true });
  const command = {
    text: "npm test",
    cwd: "/w",
    commands: [{ name: "npm", path: "/usr/bin/npm", argv: ["npm", "test"], through: [] }],
  };
  const decision = policy.forSession({ ...facts, guarded: true }).call(exec, {}, { command });
  expect(decision.effect).toBe("allow");
  expect(decision.reason).toContain("exec.allow");
});
