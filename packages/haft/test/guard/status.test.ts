import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haft, haftHere, type Line } from "../support/haft.ts";
import {
  claude,
  configure,
  env,
  guard,
  home,
  install,
  makeHome,
  policy,
  project,
  trustInCodex,
  withVariables,
} from "./guard-home.ts";

beforeEach(() => makeHome());

async function status(agent: string): Promise<{ code: number | null; looked: Line; text: string }> {
  const { code, stdout } = await guard("status", "--json");
  const { agents } = JSON.parse(stdout) as { agents: Line[] };
  const text = (await guard("status")).stdout;
  return { code, looked: agents.find((each) => each.agent === agent), text };
}

describe("a hook that Codex runs only after trust", () => {
  const file = () => join(home, ".codex/config.toml");

  it("is shown as not trusted, trusted, or changed since", async () => {
    await install("codex", "--policy", policy);
    const before = await status("codex");
    expect([before.code, before.looked.state]).toEqual([1, "not trusted"]);
    expect(before.text).toContain("codex: NOT TRUSTED, so it is not called, by ");
    expect(before.text).toContain("/hooks");
    expect(before.text).not.toContain("codex: guarded");

    await trustInCodex(file());
    expect(await status("codex")).toMatchObject({ code: 0, looked: { state: "guarded", problems: [] } });

    const trusted = readFileSync(file(), "utf8");
    writeFileSync(file(), trusted.replace("timeout = 15", "timeout = 16"));
    const changed = await status("codex");
    expect([changed.code, changed.looked.state]).toEqual([1, "changed since trusted"]);
    expect(changed.text).toContain("codex: CHANGED SINCE YOU TRUSTED IT");

    writeFileSync(file(), `${trusted}enabled = false\n`);
    expect(await status("codex")).toMatchObject({
      code: 1,
      looked: { state: "broken", problems: [expect.stringContaining("disabled in /hooks")] },
    });
  });
});

it("reports an audit log that cannot be written, because it denies every call", async () => {
  mkdirSync(join(home, "log"));
  for (const file of [join(home, "log"), join(policy, "below.jsonl")]) {
    await configure(`audit: { file: ${file} }\n`);
    await install("claude", "--policy", policy);
    const { code, looked } = await status("claude");
    expect([code, looked.state]).toEqual([1, "broken"]);
    expect(looked.problems).toEqual([expect.stringContaining(file)]);
  }
  await configure(`audit: { file: ${join(home, "new/log.jsonl")} }\n`);
  expect(await status("claude")).toMatchObject({ code: 0, looked: { state: "guarded" } });
});

describe("folders from variables", () => {
  it.each([
    ["gemini", "GEMINI_CLI_HOME", "x", "x/.gemini/settings.json"],
    ["pi", "PI_CODING_AGENT_DIR", "x", "x/extensions/haft-guard.ts"],
    ["claude", "CLAUDE_CONFIG_DIR", "x", "x/settings.json"],
    ["codex", "CODEX_HOME", "x", "x/config.toml"],
    ["copilot", "COPILOT_HOME", "x", "x/hooks/haft-guard.json"],
    ["opencode", "XDG_CONFIG_HOME", "x", "x/opencode/plugins/haft-guard.js"],
    ["openclaw", "OPENCLAW_STATE_DIR", "x", "x/extensions/haft-guard/index.js"],
    ["openclaw", "OPENCLAW_HOME", "x", "x/.openclaw/extensions/haft-guard/index.js"],
  ])("are found for %s: %s", async (agent, name, value, file) => {
    mkdirSync(join(home, value));
    withVariables({ [name]: join(home, value) });
    await install(agent, "--policy", policy);
    expect(existsSync(join(home, file))).toBe(true);
    expect((await status(agent)).looked).toMatchObject({ file: join(home, file) });
    await guard("uninstall", agent);
    expect(existsSync(join(home, file))).toBe(false);
  });

  it("may start with a tilde for pi", async () => {
    withVariables({ PI_CODING_AGENT_DIR: "~/x" });
    await install("pi", "--policy", policy);
    expect(existsSync(join(home, "x/extensions/haft-guard.ts"))).toBe(true);
  });

  it.each([
    ["gemini", "GEMINI_CLI_HOME", "x", "a relative path that depends on the folder in which gemini starts"],
    [
      "claude",
      "CLAUDE_CONFIG_DIR",
      "./x",
      "a relative path that depends on the folder in which claude starts",
    ],
    ["cursor", "CURSOR_CONFIG_DIR", "/x", "so the hooks folder of cursor is unknown"],
    ["openclaw", "OPENCLAW_PROFILE", "work", "Also set OPENCLAW_STATE_DIR"],
  ])(
    "are rejected if they cannot be followed, and status reports them: %s, %s",
    async (agent, name, value, why) => {
      await install(agent, "--policy", policy);
      withVariables({ [name]: value });
      for (const words of [
        ["install", agent, "--policy", policy],
        ["uninstall", agent],
      ]) {
        const refused = await guard(...words);
        expect([refused.code, refused.stdout]).toEqual([1, ""]);
        expect(refused.stderr).toContain(why);
      }
      // What is elsewhere is not found by a relative name.
      if (value.startsWith("/") || value === "work")
        expect((await status(agent)).looked.problems.join()).toContain(why);
    },
  );
});

it("try uses the installed rules", async () => {
  for (const agent of ["claude", "codex"]) await install(agent, "--policy", policy);
  const tried = async (...words: string[]) =>
    (await haft(["guard", "try", ...words], { cwd: project, env, input: claude("rm x") })).stdout;
  for (const agent of ["claude", "codex"]) {
    const output = await tried(agent);
    expect(output).toContain("decision: deny");
    expect(output).toMatch(/^rules: .*policy\.yaml, as installed in /m);
  }
  const other = join(home, "other.yaml");
  writeFileSync(other, "{}\n");
  expect(await tried("claude", "--policy", other)).toContain("decision: allow");
  expect(await tried("gemini")).toMatch(
    /^rules: the rules of your configuration; gemini has no hook installed$/m,
  );
});

describe("rules that are probable mistakes", () => {
  it("are reported by install and status, as by policy check", async () => {
    writeFileSync(policy, "deny: [write(path:a/*)]\n");
    const installed = await guard("install", "claude", "--policy", policy);
    expect(installed.stdout).toMatch(/warning: .*policy\.yaml:1: .*effect:write/);
    expect((await status("claude")).text).toMatch(/warning: .*policy\.yaml:1: .*effect:write/);
  });

  it("are rejected if no host has the tool", async () => {
    writeFileSync(policy, "deny: [Bash(git push *)]\n");
    const installed = await guard("install", "claude", "--policy", policy);
    expect(installed.code).toBe(1);
    expect((await status("claude")).looked.state).toBe("not installed");
  });

  it("are not reported without rules", async () => {
    writeFileSync(policy, "{}\n");
    await install("claude", "--policy", policy);
    const { code, looked, text } = await status("claude");
    expect([code, looked.state]).toEqual([1, "decides nothing"]);
    expect(text).toContain("claude: DECIDES NOTHING except about changes of the guard itself, by ");
    expect(text).toContain(`because no rules apply here (${policy})`);
  });

  it("report a preset that contains commands as without effect", async () => {
    writeFileSync(policy, "exec:\n  preset: contained\n");
    const installed = await guard("install", "claude", "--policy", policy);
    const warning = /warning: .*policy\.yaml:2: exec\.preset: The guard does not contain commands/;
    expect(installed.stdout).toMatch(warning);
    const { code, looked, text } = await status("claude");
    expect([code, looked.state]).toEqual([1, "decides nothing"]);
    expect(text).toMatch(warning);
    writeFileSync(policy, "exec:\n  preset: careful\n");
    expect((await status("claude")).looked.state).toBe("guarded");
  });

  it.each([
    ["mode: off", "mode is off"],
    ["mode: shadow", "mode is shadow"],
    ["{}", "no rule applies to calls of claude", 'groups:\n  x: { deny: ["*"] }\n'],
  ])("are reported if they decide nothing: %s", async (mode, why, rules = 'deny: ["exec(rm *)"]\n') => {
    writeFileSync(policy, mode === "{}" ? rules : `${mode.replace("off", '"off"')}\n${rules}`);
    const installed = await guard("install", "claude", "--policy", policy);
    const checked = await haftHere(["policy", "check", "--guard", policy], { cwd: project, env });
    if (mode !== "{}")
      for (const { stdout, stderr } of [installed, checked])
        expect(stdout + stderr).toMatch(/mode: The mode is "(?:off|shadow)", so these rules decide nothing/);
    const { code, looked, text } = await status("claude");
    expect([code, looked.state]).toEqual([1, "decides nothing"]);
    expect(text).toContain(`The guard decides nothing here, because ${why}`);
    const tried = await haft(["guard", "try", "claude"], { cwd: project, env, input: claude("rm x") });
    expect(tried.stdout).toContain("decision: allow");
    if (mode === "{}") return;
    expect(tried.stdout).not.toContain("no rule speaks of it");
    expect(tried.stdout).toMatch(/^mode: (?:off|shadow), so these rules decide nothing$/m);
    if (mode === "mode: shadow") expect(tried.stdout).toContain("If the mode were enforce: deny.");
  });
});

it("prints the installed version of a client next to the tested version", async () => {
  const root = join(home, "lib/node_modules/@anthropic-ai/claude-code");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), '{"name":"@anthropic-ai/claude-code","version":"2.1.999"}');
  writeFileSync(join(root, "claude"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  withVariables({ PATH: `${root}:${process.env["PATH"]}` });
  await install("claude", "--policy", policy);
  const { looked, text } = await status("claude");
  expect(looked.client).toEqual({ installed: "2.1.999", program: join(root, "claude"), tried: "2.1.330" });
  expect(text).toContain("client: 2.1.999; tested with 2.1.330, not with this version");
});
