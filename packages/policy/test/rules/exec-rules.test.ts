import type { CallSubjects, CommandSubject } from "@haft/core";
import { describe, expect, test } from "vitest";
import type { ExecRules } from "../../src/read/exec-config.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { command, policy, getProblems, running, session, tool } from "../fixtures.ts";

function ask(
  config: PolicyConfig,
  subjects: CallSubjects | undefined,
  id = "exec",
  kind: "main" | "group" = "main",
) {
  return policy(config).forSession(session(kind)).call(tool(id), {}, subjects);
}
const effect = (exec: ExecRules, line: string | CallSubjects | undefined, id?: string) =>
  ask({ exec }, typeof line === "string" ? running(line) : line, id).effect;
const one = (...commands: CommandSubject["commands"]): CallSubjects => ({
  command: { text: "", cwd: "/work", commands },
});

describe("a command list", () => {
  const exec: ExecRules = { allow: ["git status*", "/usr/bin/make", "python*"] };

  test.each([
    ["git status --short", "allow"],
    ["git push", "deny"],
    ["make -j4", "allow"],
    ["python3 x.py", "allow"],
    ["git status && make", "allow"],
    ["git status && rm x", "deny"],
  ])("decides %s: %s", (line, expected) => expect(effect(exec, line)).toBe(expected));

  test("rejects unclear and unknown commands", () => {
    expect(effect(exec, running("git status", { unclear: "it uses $( )" }))).toBe("deny");
    expect(effect(exec, running("", { commands: [] }))).toBe("deny");
    expect(effect(exec, undefined)).toBe("deny");
    expect(effect({ ...exec, ask: "on-miss" }, undefined)).toBe("ask");
  });

  test("asks about unlisted commands with on-miss", () => {
    expect(effect({ ...exec, ask: "on-miss" }, "git push")).toBe("ask");
    expect(effect({ ...exec, ask: "on-miss" }, "git status")).toBe("allow");
  });

  test("applies to all tools that run commands, and only to these", () => {
    expect(effect(exec, "git push", "bash")).toBe("deny");
    expect(effect(exec, "git status", "bash")).toBe("ask"); // by the session table
    expect(effect(exec, undefined, "process")).toBe("deny");
    expect(effect(exec, { action: "poll" }, "process")).toBe("allow");
    expect(effect(exec, undefined, "read")).toBe("allow");
    expect(policy({ exec }).forSession(session("main")).visibility(tool("exec")).effect).toBe("allow");
  });

  test("names the missing entry and the smallest change", () => {
    expect(ask({ exec }, running("git push && git push && ls"))).toMatchObject({
      reason: 'exec is denied by policy.json: exec.allow: "git push" and "ls" are not listed.',
      fix: 'Add "git push" to exec.allow and add "ls" to exec.allow in policy.json. This lets ls run with any arguments.',
    });
    expect(ask({ exec }, running("git status", { unclear: "it uses $( )" }))).toMatchObject({
      reason:
        "exec is denied by policy.json: exec.allow: it is not certain what would run, since it uses $( ).",
      fix: 'Set exec.ask to "on-miss" in policy.json. Calls can still need approval.',
    });
    const { path: _path, ...missing } = command("gti status");
    expect(ask({ exec: { ...exec, ask: "on-miss" } }, one(missing))).toMatchObject({
      reason: 'exec needs approval by policy.json: exec.allow: there is no program "gti".',
      fix: undefined,
    });
  });

  test("applies together with lists of other scopes", () => {
    const config: PolicyConfig = {
      exec: { allow: ["git", "ls"] },
      sessions: { main: { exec: { allow: ["git log*", "rm"], ask: "on-miss" } } },
    };
    expect(ask(config, running("git log")).effect).toBe("allow");
    expect(ask(config, running("git push")).effect).toBe("ask");
    expect(ask(config, running("rm x")).effect).toBe("deny");
  });
});

describe("builtins and safe bins", () => {
  const careful: ExecRules = { preset: "careful" };
  const wc = command("wc -l", { harmless: true });

  test("are allowed if they only transform input", () => {
    expect(effect(careful, one(wc))).toBe("allow");
    expect(effect(careful, one(command("wc -l")))).toBe("ask");
    expect(effect(careful, one({ ...wc, path: "/work/bin/wc" }))).toBe("ask");
    expect(effect({ ...careful, trustedDirs: ["/work/bin"] }, one({ ...wc, path: "/work/bin/wc" }))).toBe(
      "allow",
    );
    expect(effect({ ...careful, trustedDirs: ["/work"] }, one({ ...wc, path: "/work/bin/wc" }))).toBe("ask");
    expect(effect({ ...careful, safeBins: ["head"] }, one(wc))).toBe("ask");
    expect(effect(careful, one({ ...wc, path: "/usr/bin/evil" }))).toBe("ask");
  });

  test.each([":", "cd", "false", "pwd", "test", "true", "["])("allow the builtin %s", (name) => {
    const { path: _path, ...builtin } = command(name, { builtin: true });
    expect(effect(careful, one(builtin))).toBe("allow");
    expect(effect(careful, one({ ...builtin, builtin: false }))).toBe("ask");
  });

  test.each(["echo", "printf", "exit"])("allow the builtin %s if the analysis finds it harmless", (name) => {
    const { path: _path, ...builtin } = command(name, { builtin: true });
    expect(effect(careful, one({ ...builtin, harmless: true }))).toBe("allow");
    expect(effect(careful, one(builtin))).toBe("ask");
    expect(effect(careful, one({ ...builtin, harmless: true, path: `/usr/bin/${name}` }))).toBe("ask");
    expect(effect(careful, one({ ...builtin, harmless: true, builtin: false }))).toBe("ask");
  });

  test("do not include other builtins, and can be denied", () => {
    const { path: _path, ...builtin } = command("eval x", { builtin: true });
    expect(effect(careful, one(builtin))).toBe("ask");
    const cd = { ...builtin, name: "cd", argv: ["cd", "x"] };
    expect(ask({ exec: careful, deny: ["exec(cd)"] }, one(cd)).effect).toBe("deny");
  });
});

describe("security and ask", () => {
  test("deny: denies all commands", () => {
    expect(ask({ exec: { security: "deny" } }, running("git status"))).toMatchObject({
      effect: "deny",
      reason: 'exec runs commands, and policy.json: exec.security = "deny".',
      fix: 'Add "git status" to exec.allow and set exec.security to "allowlist" in policy.json.',
    });
    expect(effect({ security: "deny" }, undefined)).toBe("deny");
  });

  test("full: allows all commands", () => {
    expect(effect({ security: "full" }, running("x", { unclear: "it uses $( )" }))).toBe("allow");
    expect(effect({ security: "full" }, undefined)).toBe("allow");
  });

  test("always: asks about every command and ignores earlier approvals", () => {
    expect(ask({ exec: { allow: ["git"], ask: "always" } }, running("git status"))).toMatchObject({
      effect: "ask",
      everyTime: 'policy.json: exec.ask = "always"',
      reason: 'exec needs approval for every command (policy.json: exec.ask = "always").',
      fix: 'Set exec.ask to "on-miss" in policy.json.',
    });
    expect(ask({ exec: { ask: "always" } }, running("git status"))).toMatchObject({
      effect: "ask",
      fix: 'Set exec.ask to "off" in policy.json.',
    });
    expect(ask({ exec: { preset: "careful" } }, running("git status"))).not.toHaveProperty("everyTime");
  });

  test("an inner scope cannot turn a denial into a question", () => {
    const config: PolicyConfig = {
      exec: { allow: ["git"] },
      sessions: { main: { exec: { ask: "always" } } },
    };
    expect(ask(config, running("rm x")).effect).toBe("deny");
    expect(ask(config, running("git status")).effect).toBe("ask");
  });
});

describe("limits that the call requests", () => {
  const wish = (exec: ExecRules | undefined, more: Partial<CommandSubject>, line = "git status") =>
    ask(exec ? { exec } : {}, running(line, more));

  test.each([
    [undefined, { security: "deny" }, "deny"],
    [undefined, { security: "full" }, "allow"],
    [undefined, { security: "allowlist" }, "deny"],
    [undefined, { security: "allowlist", ask: "on-miss" }, "ask"],
    [undefined, { ask: "on-miss" }, "allow"],
    [undefined, { ask: "always" }, "ask"],
    [{ allow: ["git"] }, { security: "full", ask: "off" }, "allow"],
    [{ allow: ["git"] }, { security: "allowlist" }, "allow"],
    [{ allow: ["ls"] }, { security: "full", ask: "always" }, "deny"],
    [{ allow: ["ls"] }, { ask: "on-miss" }, "deny"],
    [{ security: "deny" }, { security: "full", elevated: false }, "deny"],
  ] as const)("only tighten: %j %j: %s", (exec, more, expected) =>
    expect(wish(exec, more).effect).toBe(expected),
  );

  test("require approval for this call only, with a reason", () => {
    expect(wish(undefined, { ask: "always" })).toMatchObject({ everyTime: "the call requests it" });
  });
});

describe("contradictory and meaningless rules", () => {
  test.each<[unknown, string[]]>([
    [{ secruity: "deny" }, ["exec.secruity"]],
    [{ security: "allow" }, ["exec.security"]],
    [{ ask: "on_miss" }, ["exec.ask"]],
    [{ ask: false }, ["exec.ask"]],
    [{ ask: "on-miss" }, ["exec.ask"]],
    [{ preset: "carefull" }, ["exec.preset"]],
    [{ preset: "careful", security: "full" }, ["exec.security"]],
    [{ security: "full", allow: ["git"] }, ["exec.allow"]],
    [{ security: "deny", allow: ["git"] }, ["exec.allow"]],
    [{ security: "deny", ask: "always" }, ["exec.ask"]],
    [{ security: "deny", ask: "off" }, []],
    [{ allow: [] }, ["exec.allow"]],
    [{ allow: ["*"] }, ["exec.allow[0]"]],
    [{ allow: ["git", "* *"] }, ["exec.allow[1]"]],
    [{ allow: ["", " git", "./git"] }, ["exec.allow[0]", "exec.allow[1]", "exec.allow[2]"]],
    [{ allow: ["exec(git)"] }, ["exec.allow[0]"]],
    [{ allow: ["command:git"] }, ["exec.allow[0]"]],
    [{ safeBins: ["wc"] }, ["exec.safeBins"]],
    [{ trustedDirs: ["/opt/bin"] }, ["exec.trustedDirs"]],
    [{ preset: "careful", safeBins: ["/usr/bin/wc", "w*"] }, ["exec.safeBins[0]", "exec.safeBins[1]"]],
    [
      { preset: "careful", trustedDirs: ["bin", "/opt/", "/a/../b", "/", "/o*"] },
      [0, 1, 2, 3, 4].map((at) => `exec.trustedDirs[${at}]`),
    ],
    [{ elevated: { mode: "on" } }, ["exec.elevated.mode"]],
    [{ elevated: { mode: "ask", senders: [] } }, ["exec.elevated"]],
    [
      { elevated: { senders: ["name:Ada", "ada", "id:"] } },
      [0, 1, 2].map((at) => `exec.elevated.senders[${at}]`),
    ],
    [[], ["exec"]],
  ])("are rejected: %j", (exec, expected) => {
    const problems = getProblems(() => policy({ exec } as PolicyConfig));
    expect(problems.map(({ path }) => path)).toEqual(expected);
  });

  test("are rejected with suggestions", () => {
    const problems = getProblems(() =>
      policy({
        exec: { secruity: "x", ask: "on_miss", allow: ["exec(git *)"], safeBins: ["/bin/wc"] },
      } as never),
    );
    expect(problems.map(({ nearest }) => nearest?.[0])).toEqual(["security", "on-miss", "git *", "wc"]);
  });
});

test("applies to a tool that runs commands without declaring it", () => {
  const exec: ExecRules = { allow: ["git"] };
  expect(ask({ exec }, running("rm x"), "read").effect).toBe("deny");
  expect(ask({ exec }, running("git log"), "read").effect).toBe("allow");
  expect(ask({ deny: ["*(command:rm *)"] }, running("rm x"), "read").effect).toBe("deny");
});
