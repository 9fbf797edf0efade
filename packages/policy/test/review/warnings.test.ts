import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, tools } from "../fixtures.ts";

const found = (config: PolicyConfig) =>
  policy(config).warnings.map(({ path, message, nearest = [] }) => [path, message, ...nearest]);

describe("a path that only some tools are denied", () => {
  test.each<[string, PolicyConfig, (string | RegExp)[]]>([
    [
      "reading: names what can still read, and the rule for all",
      { deny: ["read(path:secret/**)"] },
      [
        "deny[0]",
        /^It only restricts read; edit, apply_patch, ls, exec, process, bash, node_invoke and 3 more can still read there\.$/,
        "effect:read(path:secret/**)",
      ],
    ],
    [
      "writing",
      { deny: ["write(path:docs/**)"] },
      ["deny[0]", /^It only restricts write; edit, .*can still write/, "effect:write(path:docs/**)"],
    ],
    ["changing", { ask: ["edit(path:docs/**)"] }, ["ask[0]", /write, .*exec/, "effect:write(path:docs/**)"]],
    [
      "a group leaves commands",
      { deny: ["group:fs(path:**/.env)"] },
      ["deny[0]", /; exec, process, bash, .*can still read there\. Add "effect:read\(path:\*\*\/\.env\)"\.$/],
    ],
    [
      "in a scope",
      { sessions: { main: { deny: ["read(path:a)"] } } },
      ["sessions.main.deny[0]", /can still read/, "effect:read(path:a)"],
    ],
    [
      "commands in a gate are held back by it",
      {
        deny: ["group:fs(path:**/.env)", "group:plugins"],
        exec: { preset: "careful" },
      },
      [],
    ],
  ])("causes a warning: %s", (_what, config, [path, message, better]) => {
    const all = found(config);
    if (path === undefined) {
      expect(all).toEqual([]);
      return;
    }
    expect(all).toEqual([[path, expect.stringMatching(message!), ...(better === undefined ? [] : [better])]]);
  });

  test.each<PolicyConfig>([
    { deny: ["effect:read(path:secret/**)"] },
    { deny: ["read(path:secret/**)", "effect:read(path:secret/**)"] },
    { deny: ["*(path:secret/**)"] },
    { deny: ["read(path:a)"], allow: ["read"] },
    { deny: ["read(path:a)"], ask: ["effect:read"] },
    {
      sessions: { group: { ask: ["read(path:a)"] } },
      deny: ["edit", "apply_patch", "ls", "group:runtime", "group:nodes", "group:plugins"],
    },
    { ask: ["exec(path:a)"] },
    { ask: ["effect:execute(command:rm *)"] },
    { deny: ["*(command:rm *)"] },
    { deny: ["exec(rm *)"], ask: ["bash", "node_invoke"] },
    { grant: ["write"] },
    { exec: { elevated: { mode: "ask" } }, agents: { a: { exec: { elevated: { senders: ["*"] } } } } },
    { allow: ["read(path:src/**)"] },
    { deny: ["write"] },
  ])("causes no warning if no other tool remains: %j", (config) => expect(found(config)).toEqual([]));
});

test.each<[PolicyConfig, string, RegExp]>([
  [{ deny: ["write", "read", "write"] }, "deny[2]", /the same as deny\[0\]/],
  [{ ask: ["*(command:git)", "*(command:git)"] }, "ask[1]", /the same as ask\[0\]/],
  [{ exec: { allow: ["git", "ls", "git"] } }, "exec.allow[2]", /the same as exec\.allow\[0\]/],
  [{ agents: { "a.b": { deny: ["read", "read"] } } }, 'agents["a.b"].deny[1]', /the same/],
  [{ deny: ["effect:read(path:a, path:b)"] }, "deny[0]", /The same path must match both.*\{a,b\}/],
  [{ deny: ["exec(git *, command:* push)"] }, "deny[0]", /same command/],
  [{ deny: ["web/fetch(arg:ulr=x)"] }, "deny[0]", /It is unknown if fetch can have an argument "ulr"/],
  [{ deny: ["*(arg:pth=x)"] }, "deny[0]", /argument "pth", so this was not checked/],
  [{ deny: ["exec(git .*)"] }, "deny[0]", /"\*" alone for any/],
  [{ deny: ["exec(^git)"] }, "deny[0]", /"\^" is a literal character/],
  [{ exec: { allow: ["git .*"] } }, "exec.allow[0]", /"\*" alone/],
  [
    { deny: ["write"], sessions: { group: { grant: ["write"] } } },
    "sessions.group.grant[0]",
    /denied by deny\[0\]/,
  ],
  [
    { deny: ["group:runtime"], sessions: { group: { ask: ["exec(rm *)"] } } },
    "sessions.group.ask[0]",
    /has no effect/,
  ],
  [{ deny: ["exec"] }, "deny[0]", /^It denies exec; bash and node_invoke can still run commands/],
  [{ deny: ["exec(rm *)"] }, "deny[0]", /^It only restricts exec; bash and node_invoke can still run it/],
  [
    { deny: ["effect:execute(command:git push)"] },
    "deny[0]",
    /^It matches "git push" without more arguments only\.$/,
  ],
  [
    { deny: ["group:fs(path:.env)"], exec: { security: "allowlist", ask: "on-miss", allow: ["cat *"] } },
    "deny[0]",
    /; exec, .*can still read there\. Add "effect:read\(path:\.env\)"\.$/,
  ],
  [{ ask: ["group:runtime(command:rm *)"] }, "ask[0]", /; node_invoke can still run it/],
  [{ grant: ["read"] }, "grant[0]", /denied unless granted in any session, so it has no effect\.$/],
  [{ sessions: { main: { grant: ["write"] } } }, "sessions.main.grant[0]", /in main sessions/],
  [
    { sessions: { group: { grant: ["exec(git *)"] } } },
    "sessions.group.grant[0]",
    /approvals that the session table requires remain/,
  ],
  [
    { deny: ["exec"], exec: { preset: "careful" } },
    "exec",
    /^deny\[0\] \("exec"\) denies exec, so this only applies to bash and node_invoke/,
  ],
  [{ deny: ["effect:execute"], exec: { ask: "always" } }, "exec", /so this has no effect/],
  [{ exec: { elevated: { mode: "ask" } } }, "exec.elevated", /has senders for elevated/],
  [
    { agents: { a: { exec: { elevated: { senders: ["*"] } } } } },
    "agents.a.exec.elevated",
    /has a mode for elevated/,
  ],
])("warns about %j: %s", (config, path, says) => {
  expect(found(config).map(([where, what]) => [where, what])).toEqual([[path, expect.stringMatching(says)]]);
});

test("does not warn about a denial of exec if no other tool runs commands", () => {
  for (const deny of [["exec", "bash", "node_invoke"], ["effect:execute"], ["group:runtime"], ["*"]])
    expect({ deny, found: found({ deny }) }).toEqual({ deny, found: [] });
  expect(found({ deny: ["exec"], allow: ["read"] }).map(([where]) => where)).not.toContain("deny[0]");
});

test("suggests a rule for all tools that run a denied command", () => {
  expect(found({ deny: ["exec(rm *)"] })).toMatchObject([
    ["deny[0]", expect.any(String), "effect:execute(command:rm *)"],
  ]);
});

test("collects warnings of both documents, with lines, without an error", () => {
  const made = createPolicy(
    { deny: ["read(path:a)"] },
    {
      tools,
      source: "policy.yaml",
      positions: () => 7,
      administrator: { config: { deny: ["write", "write"] }, source: "admin.yaml" },
    },
  );
  expect(made.warnings).toMatchObject([
    { source: "admin.yaml", path: "deny[1]", severity: "warning" },
    { source: "policy.yaml", path: "deny[0]", line: 7, severity: "warning" },
  ]);
});

test("warns of pushes that lose commits without --force", () => {
  const warned = (...deny: string[]) => found({ deny }).map(([, message]) => message);
  expect(warned("effect:execute(command:git push --force *)")).toEqual([expect.stringContaining("--delete")]);
  for (const other of ["git push *", "git push*"])
    expect(warned("effect:execute(command:git push -f *)", `effect:execute(command:${other})`)).toEqual([]);
});

test("warns that options of an unknown program are compared as written", () => {
  const texts = (entry: string) =>
    found({ deny: [entry] })
      .map(([, message]) => message)
      .filter((message) => message?.includes("as written"));
  expect(texts("effect:execute(command:terraform destroy -auto-approve *)")).toEqual([
    expect.stringContaining("Options of terraform are compared as written"),
  ]);
  for (const known of ["rm -rf *", "git push --force *", "terraform destroy *", "rm *"])
    expect(texts(`effect:execute(command:${known})`)).toEqual([]);
});
