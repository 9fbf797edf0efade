import type { SessionKind } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../src/create-policy.ts";
import { sessionKinds } from "../src/read/policy-config.ts";
import { sessionTable, tableCell } from "../src/rules/session-table.ts";
import { getEffect, policy, session, tool, tools } from "./fixtures.ts";

test("rejects a built-in tool without a row in the table", () => {
  const stranger = { ...tool("read"), id: "haft-fs/reed", name: "reed" };
  expect(() => createPolicy({}, { tools: [...tools, stranger] })).toThrow(
    expect.objectContaining({ code: "POLICY_TABLE_INCOMPLETE", details: { tools: ["haft-fs/reed"] } }),
  );
});

test("denies a later tool that claims to be built in", () => {
  const stranger = { ...tool("read"), id: "haft-fs/reed", name: "reed" };
  const decision = policy({}).forSession(session("main")).call(stranger, {});
  expect(decision).toMatchObject({ effect: "deny", fix: undefined });
  expect(decision.reason).toBe("reed has no cell for main sessions in the built-in session table.");
});

test("denies all calls in an unknown kind of session", () => {
  const strange = policy({}).forSession(session("subagent" as SessionKind));
  expect(tools.map((each) => strange.call(each, {}).effect)).toEqual(tools.map(() => "deny"));
});

describe("grant", () => {
  const granting = (...grant: string[]) => ({ sessions: { group: { grant } } });

  test("allows tools that the table leaves to the operator, only in its scope", () => {
    expect(getEffect({}, "group", "write")).toBe("deny");
    expect(getEffect(granting("write"), "group", "write")).toBe("allow");
    expect(getEffect(granting("write"), "group", "edit")).toBe("deny");
    expect(getEffect(granting("group:fs"), "group", "edit")).toBe("allow");
    expect(getEffect(granting("node_invoke"), "main", "node_invoke")).toBe("deny");
    expect(getEffect({ grant: ["node_invoke"] }, "main", "node_invoke")).toBe("allow");
    expect(getEffect({ agents: { ada: { grant: ["write"] } } }, "group", "write", "ada")).toBe("allow");
    expect(getEffect({ agents: { ada: { grant: ["write"] } } }, "group", "write", "bob")).toBe("deny");
  });

  test("does not lift denials or approvals", () => {
    expect(getEffect({ deny: ["effect:write"], ...granting("write") }, "group", "write")).toBe("deny");
    expect(getEffect({ grant: ["*"] }, "group", "exec")).toBe("ask");
    expect(getEffect({ grant: ["*"] }, "main", "bash")).toBe("ask");
  });

  test("does not grant a plugin's tool by its own groups and effects, or by a built-in name", () => {
    expect(getEffect(granting("group:fs", "effect:read"), "group", "chat/list_rooms")).toBe("deny");
    expect(getEffect(granting("write"), "group", "rogue/write")).toBe("deny");
    expect(getEffect(granting("rogue/write"), "group", "rogue/write")).toBe("allow");
    expect(getEffect(granting("chat"), "group", "chat/list_rooms")).toBe("allow");
  });
});

describe("optional tools", () => {
  test.each(["*", "secret_*", "effect:read"])("stay disabled with %s", (selector) => {
    expect(getEffect({ allow: [selector], grant: ["*"] }, "main", "extras/secret_scan")).toBe("deny");
  });

  test.each(["secret_scan", "extras/secret_scan", "extras", "group:plugins"])(
    "are enabled by %s",
    (selector) => {
      expect(getEffect({ grant: [selector] }, "main", "extras/secret_scan")).toBe("allow");
      expect(getEffect({ allow: [selector] }, "main", "extras/secret_scan")).toBe("allow");
      expect(getEffect({ allow: [selector] }, "group", "extras/secret_scan")).toBe("deny");
      expect(getEffect({ grant: [selector] }, "group", "extras/secret_scan")).toBe("allow");
    },
  );
});

test("restricts tools with allow, only in the scope that has it", () => {
  expect(getEffect({ allow: ["read"] }, "main", "read")).toBe("allow");
  expect(getEffect({ allow: ["read"] }, "main", "write")).toBe("deny");
  expect(getEffect({ sessions: { group: { allow: ["read"] } } }, "main", "write")).toBe("allow");
  expect(
    getEffect({ allow: ["read", "write"], agents: { ada: { allow: ["read"] } } }, "main", "write", "ada"),
  ).toBe("deny");
  expect(getEffect({ allow: ["read"], agents: { ada: { allow: ["write"] } } }, "main", "write", "ada")).toBe(
    "deny",
  );
});

test("requires approval with ask, and does not hide the tool", () => {
  const main = policy({ ask: ["write"] }).forSession(session("main"));
  expect(main.call(tool("write"), {})).toMatchObject({
    effect: "ask",
    reason: 'write needs approval because of policy.json: ask[0] = "write".',
    fix: 'Remove "write" from ask[0] in policy.json. This also allows the tool `rogue/write`.',
  });
  expect(main.visibility(tool("write"))).not.toHaveProperty("fix");
  expect(main.visibility(tool("write")).effect).toBe("allow");
  expect(main.visibility(tool("write")).reason).toBe(
    'write is visible; it needs approval because of policy.json: ask[0] = "write".',
  );
});

describe("profiles", () => {
  const covered = (profile: "minimal" | "coding" | "messaging" | "full") => {
    const main = policy({ profile, grant: ["node_invoke", "secret_scan"] }).forSession(session("main"));
    return tools.filter((each) => main.call(each, {}).effect !== "deny").map(({ name }) => name);
  };

  test("select tools by effects and groups", () => {
    expect(covered("minimal")).toEqual(["read", "ls", "list_rooms", "add", "secret_scan"]);
    expect(covered("coding")).toEqual(
      tools.map(({ name }) => name).filter((name) => name !== "send_message"),
    );
    expect(covered("messaging")).toEqual(["send_message"]);
    expect(covered("full")).toHaveLength(tools.length);
  });

  test("apply together if several scopes have a profile", () => {
    const config = {
      profile: "coding",
      agents: { ada: { profile: "minimal" }, bob: { profile: "full" } },
    } as const;
    expect(getEffect(config, "main", "write", "ada")).toBe("deny");
    expect(getEffect(config, "main", "chat/send_message", "bob")).toBe("deny");
  });
});

describe("decisions", () => {
  test("name the deciding rule and its position", () => {
    const reason = (config: Parameters<typeof policy>[0], id = "write") =>
      policy(config).forSession(session("group")).call(tool(id), {}).reason;
    expect(reason({ sessions: { group: { deny: ["write"] } } })).toBe(
      'write is denied by policy.json: sessions.group.deny[0] = "write".',
    );
    expect(reason({ grant: ["write"] })).toBe('write is granted by policy.json: grant[0] = "write".');
    expect(reason({ profile: "minimal" }, "exec")).toBe(
      'exec does not belong to policy.json: profile = "minimal".',
    );
    expect(reason({ allow: ["read"] }, "exec")).toBe("exec is not listed in policy.json: allow.");
    expect(reason({}, "exec")).toBe(
      "exec needs approval in group sessions (built-in session table: every command on the host needs approval).",
    );
  });

  test("have stable ids that change with the policy", () => {
    const ask = (config: Parameters<typeof policy>[0], kind: SessionKind = "main") =>
      policy(config).forSession(session(kind, "ada")).call(tool("read"), {}).id;
    expect(ask({})).toBe(ask({}));
    expect(ask({})).toMatch(/^[0-9a-z]{13}$/);
    expect(new Set([ask({}), ask({}, "group"), ask({ deny: ["write"] }), ask({ deny: ["read"] })]).size).toBe(
      4,
    );
  });

  test("are cached and shared by sessions that no rule distinguishes", () => {
    const made = policy({ agents: { ada: { deny: ["write"] } } });
    expect(made.forSession(session("main", "bob"))).toBe(made.forSession(session("main", "eve")));
    expect(made.forSession(session("main", "ada"))).not.toBe(made.forSession(session("main", "eve")));
    const main = made.forSession(session("main"));
    expect(main.call(tool("read"), { path: "a" })).toBe(main.call(tool("read"), { path: "b" }));
  });
});

test("ignores later changes of the configuration object", () => {
  const deny = ["edit"];
  const made = policy({ deny });
  deny.pop();
  expect(made.forSession(session("main")).call(tool("edit"), {})).toMatchObject({
    effect: "deny",
    fix: 'Remove "edit" from deny[0] in policy.json.',
  });
});

test("has no cell for a built-in tool without a row, even if objects inherit the name", () => {
  expect(tableCell({ ...tool("read"), name: "reed" }, "main")).toBeUndefined();
  expect(tableCell({ ...tool("read"), name: "constructor" }, "main")).toBeUndefined();
});

test("freezes the session table", () => {
  const row = sessionTable.builtIn["write"]!;
  expect(() => Object.assign(row.group, { verdict: "allow" })).toThrow(TypeError);
  expect(() => Object.assign(row, { group: row.main })).toThrow(TypeError);
  expect(() => Object.assign(sessionTable.builtIn, { rm: row })).toThrow(TypeError);
  expect(() => Object.assign(sessionTable.plugins, { group: row.main })).toThrow(TypeError);
});

test("ships this session table", () => {
  const rows = [...Object.entries(sessionTable.builtIn), ["plugin tools", sessionTable.plugins] as const];
  const lines = rows.map(([name, row]) =>
    [name.padEnd(12), ...sessionKinds.map((kind) => row[kind].verdict.padEnd(9))].join(" ").trimEnd(),
  );
  expect(["             main      group     sandboxed", ...lines].join("\n")).toMatchInlineSnapshot(`
    "             main      group     sandboxed
    read         allow     allow     allow
    ls           allow     allow     allow
    find         allow     allow     allow
    grep         allow     allow     allow
    write        allow     grant     allow
    edit         allow     grant     allow
    apply_patch  allow     grant     allow
    exec         allow     ask       allow
    bash         ask       ask       allow
    process      allow     allow     allow
    node_invoke  grant     grant     grant
    plugin tools allow     grant     grant"
  `);
});

test("gives a reason for every cell in one line", () => {
  for (const row of [...Object.values(sessionTable.builtIn), sessionTable.plugins]) {
    for (const kind of sessionKinds) expect(row[kind].note).toMatch(/^[^\n.]{10,80}$/);
  }
});
