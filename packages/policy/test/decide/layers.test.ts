import type { CallSubjects, SessionFacts, ToolEffect } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig, SessionRules } from "../../src/read/policy-config.ts";
import { policy, getProblems, running, session, tool, tools } from "../fixtures.ts";

const group: SessionFacts = {
  ...session("group", "ada"),
  model: "acme/large",
  messageChannel: "chat",
  groupId: "room-1",
  sender: { id: "7" },
};
const parent: SessionFacts = {
  ...session("group", "boss"),
  model: "acme/small",
  messageChannel: "mail",
  sender: "system",
};
const denying = (...deny: string[]): SessionRules => ({ deny });

function withAdmin(config: PolicyConfig, administrator: PolicyConfig) {
  return createPolicy(config, {
    tools,
    source: "policy.json",
    administrator: { config: administrator, source: "admin.json" },
  });
}
const reading = (config: PolicyConfig, facts: SessionFacts) =>
  policy(config).forSession(facts).call(tool("read"), {}).effect;

test("evaluates layers from the outermost to the innermost", () => {
  const rules: PolicyConfig = {
    ...denying("ls"),
    sessions: { group: denying("ls") },
    models: {
      acme: denying("ls"),
      large: denying("ls"),
      "acme/large": denying("ls"),
      "acme/small": denying("ls"),
    },
    agents: { ada: denying("ls"), boss: denying("ls") },
    channels: { chat: denying("ls"), mail: denying("ls") },
    groups: { "room-1": denying("ls") },
    senders: { "id:7": denying("ls"), "*": denying("ls"), system: denying("ls") },
    subagents: denying("ls"),
    exec: { preset: "careful" },
  };
  const made = withAdmin(rules, { ...denying("ls"), agents: { ada: denying("ls") } });
  const { trace } = made
    .forSession({ ...group, parent })
    .call(tool("exec"), {}, running("rm x", { ask: "always" }));
  expect(trace.map(({ layer, source }) => `${layer} ${source}`)).toEqual([
    "sessions built-in session table",
    "deny admin.json: deny[0]",
    "deny admin.json: agents.ada.deny[0]",
    "deny policy.json: deny[0]",
    "exec policy.json: exec.preset",
    "deny policy.json: sessions.group.deny[0]",
    "deny policy.json: models.acme.deny[0]",
    "deny policy.json: models.large.deny[0]",
    'deny policy.json: models["acme/large"].deny[0]',
    "deny policy.json: agents.ada.deny[0]",
    "deny policy.json: channels.chat.deny[0]",
    "deny policy.json: groups.room-1.deny[0]",
    'deny policy.json: senders["id:7"].deny[0]',
    "deny policy.json: subagents.deny[0]",
    'parent deny policy.json: models["acme/small"].deny[0]',
    "parent deny policy.json: agents.boss.deny[0]",
    "parent deny policy.json: channels.mail.deny[0]",
    "parent deny policy.json: senders.system.deny[0]",
    "exec the call",
  ]);
});

test.each<[string, PolicyConfig, Partial<SessionFacts>]>([
  ["a provider", { models: { acme: denying("read") } }, { model: "other/large" }],
  ["a model", { models: { "acme/large": denying("read") } }, { model: "acme/small" }],
  ["a bare model name", { models: { large: denying("read") } }, { model: "larger" }],
  ["an agent", { agents: { ada: denying("read") } }, { agentId: "bob" }],
  ["a channel", { channels: { chat: denying("read") } }, { messageChannel: "mail" }],
  ["a group", { groups: { "room-1": denying("read") } }, { groupId: "room-2" }],
  ["a sender", { senders: { "id:7": denying("read") } }, { sender: { id: "8" } }],
  ["known people", { senders: { "*": denying("read") } }, { sender: "system" }],
])("applies rules for %s only there", (_, config, other) => {
  expect(reading(config, group)).toBe("deny");
  expect(reading(config, { ...group, ...other })).toBe("allow");
});

test("applies rules of a bare model name to a model without a provider", () => {
  expect(reading({ models: { large: denying("read") } }, { ...group, model: "large" })).toBe("deny");
  expect(reading({ models: { "acme/large": denying("read") } }, { ...group, model: "large" })).toBe("allow");
});

test("ignores keys that objects inherit", () => {
  expect(reading({ models: {}, agents: {} }, { ...group, model: "constructor", agentId: "__proto__" })).toBe(
    "allow",
  );
});

test.each(["models", "agents", "channels", "groups"])("rejects an empty or padded name in %s", (part) => {
  expect(getProblems(() => policy({ [part]: { "": {}, " ada": {} } })).map(({ path }) => path)).toEqual([
    `${part}[""]`,
    `${part}[" ada"]`,
  ]);
});

describe("a session that another session opened", () => {
  const child = (more: Partial<SessionFacts> = {}): SessionFacts => ({
    ...session("main", "kid"),
    parent,
    ...more,
  });
  const effect = (config: PolicyConfig, facts: SessionFacts, id = "write") =>
    policy(config).forSession(facts).call(tool(id), {}).effect;

  test("has at most the rights of its parent", () => {
    expect(effect({}, child())).toBe("deny");
    expect(effect({}, child(), "exec")).toBe("ask");
    expect(effect({ sessions: { group: { grant: ["write"] } } }, child())).toBe("allow");
    expect(effect({ agents: { kid: { grant: ["write"] } } }, child({ kind: "group" }))).toBe("deny");
    expect(effect({ subagents: { grant: ["write"] } }, child({ kind: "group" }))).toBe("deny");
    expect(effect({ agents: { boss: denying("ls") } }, child(), "ls")).toBe("deny");
    const grandchild = { ...session("main"), parent: child() };
    expect(effect({ agents: { boss: denying("ls") } }, grandchild, "ls")).toBe("deny");
  });

  test("names the parent's rule in the reason", () => {
    expect(
      policy({ agents: { boss: denying("ls") } })
        .forSession(child())
        .call(tool("ls"), {}),
    ).toMatchObject({
      reason: 'ls is denied by policy.json: agents.boss.deny[0] = "ls", in the session that opened this one.',
      fix: 'Remove "ls" from agents.boss.deny[0] in policy.json.',
    });
  });

  test("may act in its own sandbox, but cannot leave the parent's sandbox", () => {
    expect(effect({}, child({ kind: "sandboxed" }))).toBe("allow");
    expect(effect({ agents: { boss: denying("write") } }, child({ kind: "sandboxed" }))).toBe("deny");
    expect(effect({}, { ...session("main"), parent: session("sandboxed") }, "read")).toBe("deny");
  });

  test("applies the rules for subagents", () => {
    expect(effect({ subagents: denying("ls") }, child(), "ls")).toBe("deny");
    expect(effect({ subagents: denying("ls") }, session("main"), "ls")).toBe("allow");
  });

  test("lists shared rules only once in the trace", () => {
    const both = { ...group, parent: { ...group } };
    expect(policy(denying("ls")).forSession(both).call(tool("read"), {}).trace).toHaveLength(2);
  });

  test("runs only commands that its parent may run", () => {
    const config: PolicyConfig = { agents: { boss: { exec: { allow: ["git"] } } } };
    const call = (line: string) =>
      policy(config)
        .forSession(child({ kind: "sandboxed" }))
        .call(tool("exec"), {}, running(line)).effect;
    expect(call("git log")).toBe("allow");
    expect(call("rm x")).toBe("deny");
  });
});

describe("the administrator's document", () => {
  test("cannot be loosened, and reasons name it", () => {
    const made = withAdmin({ allow: ["write"], grant: ["write"] }, denying("write"));
    expect(made.forSession(group).call(tool("write"), {})).toMatchObject({
      effect: "deny",
      reason: 'write is denied by admin.json: deny[0] = "write".',
      fix: 'Remove "write" from deny[0] in admin.json, the administrator\'s document.',
    });
    const lists = withAdmin({ exec: { security: "full" } }, { exec: { allow: ["git"] } });
    expect(lists.forSession(session("main")).call(tool("exec"), {}, running("rm x")).effect).toBe("deny");
  });

  test("always applies, regardless of the policy's mode", () => {
    for (const mode of ["off", "shadow"] as const) {
      expect(withAdmin({ mode }, denying("ls")).forSession(session("main")).call(tool("ls"), {}).effect).toBe(
        "deny",
      );
    }
    expect(getProblems(() => withAdmin({}, { mode: "off" }))).toMatchObject([{ path: "mode" }]);
    expect(getProblems(() => withAdmin({}, { mode: "enforce" }))).toEqual([]);
  });

  test("is named separately in fixes", () => {
    const made = withAdmin({ deny: ["ls"] }, { deny: ["group:fs"] });
    expect(made.forSession(session("main")).call(tool("ls"), {}).fix).toBe(
      'Remove "group:fs" from deny[0] in admin.json, the administrator\'s document. ' +
        'Remove "ls" from deny[0] in policy.json. This also allows the tools `read`, `write`, `edit`, `apply_patch` and `list_rooms`.',
    );
  });

  test("changes the version of the policy", () => {
    expect(withAdmin({}, denying("ls")).version).not.toBe(withAdmin({}, {}).version);
    expect(withAdmin({}, denying("ls")).administrator).toEqual({
      source: "admin.json",
      config: { deny: ["ls"] },
    });
  });

  test("is named in errors", () => {
    expect(() => withAdmin({ deny: ["nope"] }, { allow: ["wrte"] })).toThrow(
      /^admin\.json is not a valid policy: allow\[0\]/,
    );
  });
});

describe("mode", () => {
  test("off: ignores rules and grants, and notes this in the trace", () => {
    const config: PolicyConfig = { mode: "off", deny: ["ls"], grant: ["write"], exec: { security: "deny" } };
    const made = policy(config).forSession(group);
    expect(made.call(tool("ls"), {}).effect).toBe("allow");
    expect(made.call(tool("write"), {}).effect).toBe("deny");
    expect(made.call(tool("exec"), {}, running("ls")).effect).toBe("ask");
    expect(made.call(tool("ls"), {}).trace[1]).toEqual({
      layer: "mode",
      rule: 'mode "off": its rules are ignored',
      source: "policy.json: mode",
      verdict: "pass",
    });
    expect(made.call(tool("ls"), {})).not.toHaveProperty("shadow");
  });

  test("shadow: reports its decisions without applying them", () => {
    const config: PolicyConfig = { mode: "shadow", deny: ["ls", "exec(rm *)"], grant: ["write"] };
    const made = policy(config).forSession(group);
    expect(made.call(tool("ls"), {})).toMatchObject({
      effect: "allow",
      shadow: {
        effect: "deny",
        reason: 'ls is denied by policy.json: deny[0] = "ls".',
        fix: 'Remove "ls" from deny[0] in policy.json.',
      },
    });
    expect(made.call(tool("write"), {})).toMatchObject({ effect: "deny", shadow: { effect: "allow" } });
    expect(made.call(tool("exec"), {}, running("rm x"))).toMatchObject({
      effect: "ask",
      shadow: { effect: "deny" },
    });
    expect(made.visibility(tool("ls"))).toMatchObject({ effect: "allow", shadow: { effect: "deny" } });
    expect(made.call(tool("read"), {})).toMatchObject({ effect: "allow", shadow: { effect: "allow" } });
    expect(policy(config).explain(group, "ls")).toMatchObject({
      call: { effect: "allow", shadow: { effect: "deny" } },
    });
  });

  test("defaults to enforce and rejects other values", () => {
    expect(policy({}).mode).toBe("enforce");
    expect(getProblems(() => policy({ mode: "shaddow" } as never))).toMatchObject([
      { path: "mode", nearest: ["shadow"] },
    ]);
    expect(getProblems(() => policy({ mode: false } as never))).toMatchObject([{ path: "mode" }]);
    expect(getProblems(() => policy({ sessions: { group: { mode: "off" } } } as never))).toMatchObject([
      { path: "sessions.group.mode" },
    ]);
  });
});

describe("session policies", () => {
  const made = policy({ senders: { "id:1": denying("ls") }, groups: { a: denying("ls") } });

  test("are shared by sessions that no rule distinguishes", () => {
    const facts = {
      ...session("group"),
      groupId: "x",
      sender: { id: "2" },
      model: "m/n",
      messageChannel: "c",
    };
    expect(made.forSession(facts)).toBe(made.forSession(session("group")));
    expect(made.forSession({ ...facts, groupId: "a" })).not.toBe(made.forSession(facts));
    expect(made.forSession({ ...facts, sender: { id: "1" } })).not.toBe(made.forSession(facts));
    expect(made.forSession({ ...facts, sandbox: { mount: "ro", network: "none" } })).not.toBe(
      made.forSession(facts),
    );
    expect(made.forSession({ ...facts, parent: facts })).not.toBe(made.forSession(facts));
  });

  test("are separate if elevation differs", () => {
    const elevated = policy({ exec: { elevated: { mode: "full", senders: ["id:1"] } } });
    const by = (id: string) => elevated.forSession({ ...session("main"), sender: { id } });
    expect(by("2")).toBe(by("3"));
    expect(by("1")).not.toBe(by("2"));
  });
});

test("adds known line numbers to sources and problems", () => {
  const positions = (path: readonly (string | number)[]) => (path[0] === "deny" ? 12 : undefined);
  const made = createPolicy({ deny: ["ls"] }, { tools, source: "policy.yaml", positions });
  expect(made.forSession(session("main")).call(tool("ls"), {})).toMatchObject({
    reason: 'ls is denied by policy.yaml:12: deny[0] = "ls".',
    trace: [{}, { source: "policy.yaml:12: deny[0]" }],
  });
  const wrong = () => createPolicy({ deny: ["lss"] }, { tools, source: "policy.yaml", positions });
  expect(getProblems(wrong)).toMatchObject([{ path: "deny[0]", line: 12 }]);
  expect(wrong).toThrow(/^policy\.yaml is not a valid policy: line 12, deny\[0\]: There is no tool/);
});

const KITCHEN = { id: "UKITCHEN", name: "kitchen", effects: ["read"] as ToolEffect[] };
const call = { node: "whatever", command: "camera.snap" };

function ask(config: PolicyConfig, node: CallSubjects["node"] | "unplanned", args: unknown = call) {
  const subjects = node === "unplanned" ? undefined : node === undefined ? {} : { node };
  return policy(config).forSession(session("main")).call(tool("node_invoke"), args, subjects);
}
const effect = (...question: Parameters<typeof ask>) => ask(...question).effect;

const messages = (entry: string) =>
  getProblems(() => policy({ deny: [entry] }))
    .map(({ message }) => message)
    .join("\n");

describe("opening lists for nodes", () => {
  test.each<[string, string, string]>([
    ["the name of the node", "node_invoke(node:kitchen)", "allow"],
    ["its id", "node_invoke(node:UKITCHEN)", "allow"],
    ["a part of its name", "node_invoke(node:kit*)", "allow"],
    ["its name and the command", "node_invoke(node:kitchen, arg:command=camera.*)", "allow"],
    ["another node", "node_invoke(node:attic)", "deny"],
    ["another command", "node_invoke(node:kitchen, arg:command=door.*)", "deny"],
    ["the command alone", "node_invoke(arg:command=camera.snap)", "allow"],
  ])("decide by %s", (_, entry, expected) => {
    expect(effect({ grant: [entry] }, KITCHEN)).toBe(expected);
  });

  test("never allow unknown nodes, and fixes name the missing entry", () => {
    const grant = { grant: ["node_invoke(node:attic)"] };
    expect(effect({ grant: ["node_invoke(node:kitchen)"] }, "unplanned")).toBe("deny");
    expect(effect({ grant: ["node_invoke(node:*)"] }, undefined)).toBe("deny");
    expect(ask(grant, KITCHEN).fix).toContain("node_invoke(node:kitchen)");
  });
});

describe("restricting lists for nodes", () => {
  const grant = ["node_invoke"];

  test("match a node by its name and its id", () => {
    for (const entry of ["node_invoke(node:kitchen)", "*(node:UKITCHEN)", "effect:execute(node:kit*)"])
      expect(effect({ grant, deny: [entry] }, { ...KITCHEN, effects: ["execute"] })).toBe("deny");
    expect(effect({ grant, deny: ["node_invoke(node:attic)"] }, KITCHEN)).toBe("allow");
    expect(effect({ grant, deny: ["node_invoke(node:kitchen)"] }, "unplanned")).toBe("ask");
  });

  test("compare the approved effects, or all effects if they are unknown", () => {
    const asks = { grant, ask: ["effect:write"] };
    expect(effect(asks, KITCHEN)).toBe("allow");
    expect(effect(asks, { ...KITCHEN, effects: ["read", "write"] })).toBe("ask");
    expect(effect(asks, { ...KITCHEN, effects: ["execute"] })).toBe("ask");
    expect(effect(asks, { id: "U", name: "kitchen" })).toBe("ask");
    expect(effect({ grant, ask: ["effect:read"] }, KITCHEN)).toBe("ask");
  });

  test("ask if a node could run a denied command or reach a denied host", () => {
    const runs: ToolEffect[] = ["execute"];
    expect(ask({ grant, deny: ["*(command:rm *)"] }, { ...KITCHEN, effects: runs }).reason).toContain(
      "the command of the node is unknown",
    );
    expect(
      ask({ grant, deny: ["*(host:example.com)"] }, { ...KITCHEN, effects: ["network"] }).reason,
    ).toContain("the node can reach any host");
    expect(effect({ grant, deny: ["*(command:rm *)", "*(host:example.com)"] }, KITCHEN)).toBe("allow");
  });
});

test.each<[string, RegExp]>([
  ["node_invoke(node:)", /missing/],
  ["node_invoke(node: kitchen)", /space/],
  ["node_invoke(nod:kitchen)", /node:/],
  ["write(node:kitchen)", /acts on a node/],
  ["node_invoke(node:kitchen,arg:command=x)", /comma/],
])("rejects %s", (entry, message) => {
  expect(messages(entry)).toMatch(message);
});

test("rejects a condition on the argument node, which calls could avoid", () => {
  expect(messages("node_invoke(arg:node=kitchen)")).toMatch(/write node:kitchen/);
});
