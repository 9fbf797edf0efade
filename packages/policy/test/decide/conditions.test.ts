import type { CallSubjects } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import { describe, expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { command, paths, policy, getProblems, running, session, tool } from "../fixtures.ts";

function ask(
  config: PolicyConfig,
  id: string,
  subjects?: CallSubjects,
  args: unknown = {},
  sandbox?: SandboxFacts,
) {
  const facts = { ...session(sandbox ? "sandboxed" : "main"), ...(sandbox ? { sandbox } : {}) };
  return policy(config).forSession(facts).call(tool(id), args, subjects);
}
const effect = (...question: Parameters<typeof ask>) => ask(...question).effect;
const unclear = running("git status", { unclear: "it uses $( )" });

describe("deny and ask", () => {
  const rm = { deny: ["exec(rm *)"] };

  test("apply if any command matches, and only to their tool", () => {
    expect(effect(rm, "exec", running("git status"))).toBe("allow");
    expect(effect(rm, "exec", running("git status && rm -rf x"))).toBe("deny");
    expect(effect({ ask: ["exec(rm *)"] }, "exec", running("rm x"))).toBe("ask");
    expect(effect({ deny: ["read(path:secret/**)"] }, "edit", paths("read", "secret/a"))).toBe("allow");
  });

  test("ask, with the reason, if a rule may apply", () => {
    expect(effect(rm, "exec", running("rm x", { unclear: "it uses $( )" }))).toBe("deny");
    expect(ask(rm, "exec", unclear)).toMatchObject({
      effect: "ask",
      reason: 'exec needs approval because it uses $( ), so policy.json: deny[0] = "exec(rm *)" may apply.',
      fix: 'Remove "exec(rm *)" from deny[0] in policy.json.',
    });
    expect(ask(rm, "exec").reason).toContain("it is not known what the call would do");
    expect(
      ask({ deny: ["exec(env -i *)"] }, "exec", {
        command: { text: "", cwd: "/", commands: [command("git log", { through: ["env"] })] },
      }).reason,
    ).toContain("it runs through env");
  });

  test("ask about a folder if a path below it could match", () => {
    const deny = { deny: ["effect:write(path:**/.env)"] };
    const below: CallSubjects = {
      paths: [{ path: "/work/src", relative: "src", access: "write", recursive: true }],
    };
    expect(ask(deny, "write", below).reason).toContain("it acts on everything below src");
    expect(effect({ deny: ["write(path:docs/**)"] }, "write", below)).toBe("allow");
  });

  test("compare paths without regard to case", () => {
    expect(effect({ deny: ["*(path:**/.env)"] }, "read", paths("read", "a/.ENV"))).toBe("deny");
  });

  test("compare only written paths for effect:write", () => {
    const deny = { deny: ["effect:write(path:docs/**)"] };
    expect(effect(deny, "edit", paths("read", "docs/a"))).toBe("allow");
    expect(effect(deny, "edit", paths("write", "docs/a"))).toBe("deny");
    expect(effect({ deny: ["edit(path:docs/**)"] }, "edit", paths("read", "docs/a"))).toBe("deny");
  });

  test("ask about commands that could reach a denied file or host, unless a sandbox prevents it", () => {
    const file = { deny: ["*(path:**/.env)"] };
    const host = { deny: ["*(host:example.com)"] };
    expect(effect(file, "exec", running("git status"))).toBe("ask");
    expect(effect(host, "exec", running("git status"))).toBe("ask");
    expect(effect(file, "exec", running("git status"), {}, { mount: "rw", network: "none" })).toBe("ask");
    expect(effect(file, "exec", running("git status"), {}, { mount: "none", network: "full" })).toBe("allow");
    expect(effect(host, "exec", running("git status"), {}, { mount: "rw", network: "none" })).toBe("allow");
    expect(effect({ deny: ["group:fs(path:**/.env)"] }, "exec", running("git status"))).toBe("allow");
  });

  test("do not apply if the plan has no subject of their kind", () => {
    const config = { deny: ["*(path:**/.env)", "*(host:example.com)", "*(command:rm *)"] };
    expect(effect(config, "process", { action: "poll" })).toBe("allow");
    expect(effect(config, "process")).toBe("ask");
    expect(effect(config, "math/add")).toBe("allow");
  });

  test("match hosts", () => {
    const deny = { deny: ["web/fetch(host:*.example.com)"] };
    expect(effect(deny, "web/fetch", { hosts: ["a.example.com:443"] })).toBe("deny");
    expect(effect(deny, "web/fetch", { hosts: ["example.com"] })).toBe("allow");
    expect(effect(deny, "web/fetch")).toBe("ask");
  });

  test("match arguments without a plan", () => {
    const deny = { deny: ["chat/send_message(arg:to.address=*@example.com)"] };
    const made = policy(deny).forSession(session("main"));
    expect(made.needsSubjects!(tool("chat/send_message"))).toBe(false);
    const to = (address: unknown) => effect(deny, "chat/send_message", undefined, { to: { address } });
    expect(to("ada@example.com")).toBe("deny");
    expect(to("ada@example.org")).toBe("allow");
    expect(to(["a@example.org", "b@example.com"])).toBe("deny");
    expect(to({})).toBe("ask");
    expect(to(undefined)).toBe("allow");
    expect(
      effect(deny, "chat/send_message", undefined, { __proto__: { to: { address: "ada@example.com" } } }),
    ).toBe("allow");
    expect(made.call(tool("chat/send_message"), undefined).effect).toBe("ask");
  });

  test("match the action of the plan, or else the argument of that name", () => {
    const deny = { deny: ["process:kill"] };
    expect(effect(deny, "process", { action: "kill" })).toBe("deny");
    expect(effect(deny, "process", { action: "poll" }, { action: "kill" })).toBe("allow");
    expect(effect(deny, "process", undefined, { action: "kill" })).toBe("deny");
    expect(effect(deny, "process", undefined, { action: "poll" })).toBe("allow");
    expect(effect(deny, "process", undefined, {})).toBe("ask");
  });

  test("require all conditions of an entry", () => {
    const deny = { deny: ["edit(path:src/**, arg:mode=force)"] };
    expect(effect(deny, "edit", paths("write", "src/a"), { mode: "force" })).toBe("deny");
    expect(effect(deny, "edit", paths("write", "src/a"), { mode: "soft" })).toBe("allow");
    expect(effect(deny, "edit", paths("write", "a"), { mode: "force" })).toBe("allow");
  });
});

describe("allow and grant", () => {
  const git = { allow: ["exec(git *)", "exec(ls *)"] };

  test("allow a call only if entries cover all of it", () => {
    expect(effect(git, "exec", running("git status"))).toBe("allow");
    expect(effect(git, "exec", running("git status && ls -l"))).toBe("allow");
    expect(effect(git, "exec", running("git status && rm x"))).toBe("deny");
    expect(effect(git, "exec", unclear)).toBe("deny");
    expect(effect(git, "exec")).toBe("deny");
    expect(effect(git, "exec", running("", { commands: [] }))).toBe("deny");
    expect(effect(git, "exec", {})).toBe("deny");
  });

  test("compare paths with case, and folders only with everything below them", () => {
    const src = { allow: ["read(path:src/**)"] };
    expect(effect(src, "read", paths("read", "src/a", "src/b"))).toBe("allow");
    expect(effect(src, "read", paths("read", "src/a", "a"))).toBe("deny");
    expect(effect(src, "read", paths("read", "SRC/a"))).toBe("deny");
    expect(effect(src, "read", { paths: [] })).toBe("deny");
    const all: CallSubjects = {
      paths: [{ path: "/work/src", relative: "src", access: "read", recursive: true }],
    };
    expect(effect(src, "read", all)).toBe("allow");
    expect(effect({ allow: ["read(path:src/*)"] }, "read", all)).toBe("deny");
  });

  test("do not allow a command by its paths alone", () => {
    const subjects = { ...running("cat src/a"), ...paths("read", "src/a") };
    expect(effect({ allow: ["exec(path:src/**)"] }, "exec", subjects)).toBe("deny");
  });

  test("allow only matching calls and show the tool", () => {
    const made = policy({ sessions: { group: { grant: ["write(path:notes/**)"] } } }).forSession(
      session("group"),
    );
    expect(made.visibility(tool("write")).effect).toBe("allow");
    expect(made.visibility(tool("edit")).effect).toBe("deny");
    expect(made.call(tool("write"), {}, paths("write", "notes/a")).effect).toBe("allow");
    expect(made.call(tool("write"), {}, paths("write", "a"))).toMatchObject({
      effect: "deny",
      fix: 'Add "write(path:a)" to sessions.group.grant in policy.json.',
    });
  });

  test("do not extend a conditional effect to other effects", () => {
    const config = { allow: ["effect:read(path:src/**)", "effect:network"] };
    expect(effect(config, "web/fetch", { ...paths("read", "other"), hosts: ["x"] })).toBe("deny");
    expect(effect(config, "web/fetch", { ...paths("read", "src/a"), hosts: ["x"] })).toBe("allow");
  });

  test("enable an optional tool for matching calls", () => {
    const config = { grant: ["secret_scan(path:src/**)"] };
    expect(policy(config).forSession(session("main")).visibility(tool("extras/secret_scan")).effect).toBe(
      "allow",
    );
    expect(effect(config, "extras/secret_scan", paths("read", "src/a"))).toBe("allow");
    expect(effect(config, "extras/secret_scan", paths("read", "a"))).toBe("deny");
  });
});

test("shows a tool with a conditional denial", () => {
  const made = policy({ deny: ["exec(rm *)"], ask: ["read(path:a)"] }).forSession(session("main"));
  expect(made.visibility(tool("exec"))).toMatchObject({ effect: "allow" });
  expect(made.visibility(tool("read"))).toMatchObject({ effect: "allow" });
});

test("requires a plan only if a rule depends on it", () => {
  const needs = (config: PolicyConfig, id: string) =>
    policy(config).forSession(session("main")).needsSubjects!(tool(id));
  expect(needs({}, "exec")).toBe(false);
  expect(needs({ deny: ["exec"] }, "exec")).toBe(false);
  expect(needs({ deny: ["exec(rm *)"] }, "exec")).toBe(true);
  expect(needs({ deny: ["exec(rm *)"] }, "bash")).toBe(false);
  expect(needs({ deny: ["group:fs(path:x)"] }, "read")).toBe(true);
  expect(needs({ sessions: { group: { deny: ["read(path:x)"] } } }, "read")).toBe(false);
  expect(needs({ deny: ["process:kill"] }, "process")).toBe(true);
  expect(needs({ exec: { security: "full" } }, "exec")).toBe(false);
  expect(needs({ exec: { preset: "careful" } }, "exec")).toBe(true);
  expect(needs({ exec: { ask: "always" } }, "bash")).toBe(true);
  expect(needs({ exec: { elevated: { mode: "off" } } }, "exec")).toBe(true);
  expect(needs({ exec: { preset: "careful" } }, "read")).toBe(false);
  expect(needs({ mode: "shadow", deny: ["exec(rm *)"] }, "exec")).toBe(true);
  expect(needs({ mode: "off", deny: ["exec(rm *)"] }, "exec")).toBe(false);
});

test("allows commands under a denial of writing if the sandbox prevents writing", () => {
  const write = (sandbox: SandboxFacts | undefined, id = "exec") =>
    effect({ grant: ["node_invoke"], deny: ["effect:write"] }, id, undefined, {}, sandbox);
  expect(write(undefined)).toBe("deny");
  expect(write({ mount: "rw", network: "none" })).toBe("deny");
  expect(write({ mount: "ro", network: "full" })).toBe("allow");
  expect(write({ mount: "none", network: "full" })).toBe("allow");
  expect(write({ mount: "ro", network: "full" }, "write")).toBe("deny");
  // Runs elsewhere, where this mount means nothing.
  expect(write({ mount: "ro", network: "full" }, "node_invoke")).toBe("deny");
  const network = (sandbox: SandboxFacts) =>
    effect({ deny: ["effect:network"] }, "exec", undefined, {}, sandbox);
  expect(network({ mount: "ro", network: "limited" })).toBe("deny");
  expect(network({ mount: "rw", network: "none" })).toBe("allow");
});

test("lists every rule with its verdict in the trace of a call", () => {
  const config = { deny: ["exec(rm *)", "exec(curl *)"], allow: ["read", "exec(git *)", "exec(ls)"] };
  const decision = ask(config, "exec", running("git log && ls"));
  expect(decision.trace.slice(1)).toEqual([
    { layer: "deny", rule: 'deny "exec(rm *)"', source: "policy.json: deny[0]", verdict: "pass" },
    { layer: "deny", rule: 'deny "exec(curl *)"', source: "policy.json: deny[1]", verdict: "pass" },
    { layer: "allow", rule: 'allow "read"', source: "policy.json: allow[0]", verdict: "pass" },
    { layer: "allow", rule: 'allow "exec(git *)"', source: "policy.json: allow[1]", verdict: "allow" },
    { layer: "allow", rule: 'allow "exec(ls)"', source: "policy.json: allow[2]", verdict: "allow" },
  ]);
});

describe.each(["deny", "ask", "allow"])("impossible arguments in %s", (list) => {
  test.each([
    [
      "write(arg:pth=x)",
      /No call of write has an argument "pth"; there are path and content\./,
      "write(arg:path=x)",
    ],
    ["write(arg:file_path=x)", /"file_path" is an alias of the argument "path"/, "write(arg:path=x)"],
    ["write(arg:file=x)", /is an alias/, "write(arg:path=x)"],
    ["write(arg:filepath=x)", /No call/, "write(arg:path=x)"],
    ["exec(arg:cmd=*)", /"cmd" is an alias of the argument "command"/, "exec(arg:command=*)"],
    ["exec(arg:comand=*)", /No call of exec/, "exec(arg:command=*)"],
    ["exec(arg:enviroment.PATH=*)", /No call of exec/, undefined],
    ["chat/send_message(arg:to.adress=x)", /No call/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:to.mail=x)", /is an alias/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:recipient.mail=x)", /is an alias/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:recipient.name=x)", /is an alias/, "chat/send_message(arg:to.name=x)"],
    ["edit(arg:edits.path=x)", /No call of edit/, undefined],
    ["edit(arg:edits.0.path=x)", /No call of edit/, undefined],
    ["edit(arg:replaceAll=yes)", /never "yes"; it can be true and false/, undefined],
    ["edit(arg:replaceAll=ture)", /never "ture"/, "edit(arg:replaceAll=true)"],
    ["edit(arg:replaceall=true)", /No call of edit/, "edit(arg:replaceAll=true)"],
    ["edit(path:src/**, arg:replacAll=true)", /No call of edit/, "edit(path:src/**, arg:replaceAll=true)"],
    ["edit(arg:edits=x)", /has a text argument "edits"/, undefined],
    ["chat/send_message(arg:to=ada)", /text argument/, undefined],
    ["write(arg:path==x)", /begins with "="/, "write(arg:path=x)"],
    ["math/add(arg:z=1)", /there are x and y/, undefined],
    ["haft-fs/write(arg:pth=x)", /No call of write/, "haft-fs/write(arg:path=x)"],
    ["math/*(arg:z=1)", /No call of add/, undefined],
    ["write(arg:path= x)", /begins or ends with a space/, "write(arg:path=x)"],
    ["write(arg:path='x')", /is in quotes/, "write(arg:path=x)"],
    ["write(arg:path=a\\b)", /just b/, undefined],
    ["write(arg:path)", /arg:NAME=PATTERN/, undefined],
    ["write(arg:=x)", /arg:NAME=PATTERN/, undefined],
    ["write(arg: path=x)", /arg:NAME=PATTERN/, undefined],
  ])("rejects %s", (selector, says, meant) => {
    const [problem, ...others] = getProblems(() => policy({ [list]: [selector] }));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: `${list}[0]`, message: expect.stringMatching(says) });
    if (meant !== undefined) expect(problem!.nearest).toContain(meant);
  });
});

test.each([
  "write(arg:path=x)",
  "edit(arg:replaceAll=t*)",
  "exec(arg:env.PATH=*)",
  "chat(arg:to.address=*@example.com)",
  // Some of these have it.
  "*(arg:path=x)",
  "group:fs(arg:content=*)",
  "effect:write(arg:content=*)",
  // It takes any argument, as far as is known.
  "web/fetch(arg:whatever=x)",
])("accepts the argument in %s", (selector) =>
  expect(getProblems(() => policy({ deny: [selector] }))).toEqual([]),
);

test("rejects an argument that is an alias for some of the tools", () => {
  expect(getProblems(() => policy({ deny: ["*(arg:file=x)"] }))).toMatchObject([
    { path: "deny[0]", nearest: ["*(arg:path=x)"] },
  ]);
});
