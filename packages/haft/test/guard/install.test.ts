import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { start } from "../support/haft.ts";
import {
  claude,
  env,
  guard,
  home,
  hook,
  makeHome,
  policy,
  project,
  trustInCodex,
  withVariables,
} from "./guard-home.ts";
import { writeSettings, settings } from "./installed-settings.ts";

beforeEach(() => makeHome('deny: ["exec(rm *)"]\n'));

describe("haft guard install", () => {
  it("shows the changes with --dry-run, and changes nothing", async () => {
    const file = await writeSettings("claude", '{"apiKey": "secret"}\n');
    const { stdout } = await guard("install", "claude", "pi", "--dry-run");
    expect(stdout).toContain("@@ line 1");
    expect(stdout).toMatch(/^\+.*guard-hook/m);
    expect(readFileSync(file, "utf8")).toBe('{"apiKey": "secret"}\n');
    expect(await readdir(home)).toEqual([".claude", "policy.yaml", "shop"]);
  });

  it("says that the guard decides nothing without rules", async () => {
    expect((await guard("install", "claude")).stdout).toContain("decides nothing");
    expect((await guard("install", "claude", "--policy", policy)).stdout).not.toContain("decides nothing");
  });

  it("creates no home folder, and needs an existing log", async () => {
    for (const [name, why] of [
      [join(home, "nowhere"), "is not an existing folder"],
      [policy, "is not an existing folder"],
      ["", "is not an absolute path"],
    ] as const) {
      withVariables({ HOME: name });
      const { code, stdout, stderr } = await guard("install", "claude", "codex");
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`the home folder, ${JSON.stringify(name)}, ${why}`);
      expect(await readdir(home)).toEqual(["policy.yaml", "shop"]);
    }
    withVariables({ HOME: home });
    for (const words of [["log"], ["log", "--follow"], ["suggest", "--policy", policy]]) {
      const { code, stderr } = await guard(...words, "--file", "nope.jsonl");
      expect([words, code]).toEqual([words, 1]);
      expect(stderr).toContain(`There is no log ${join(project, "nope.jsonl")}.`);
    }
    expect(await guard("log")).toMatchObject({ code: 0, stdout: "" });
  });

  it("follows links, and keeps permissions", async () => {
    const real = join(home, "dotfiles.json");
    writeFileSync(real, "{}", { mode: 0o640 });
    chmodSync(real, 0o640);
    mkdirSync(join(home, ".claude"));
    symlinkSync(real, settings("claude"));
    expect((await guard("install", "claude")).code).toBe(0);
    expect(lstatSync(settings("claude")).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readFileSync(real, "utf8")).toContain("guard-hook");
    expect((await guard("uninstall", "claude")).code).toBe(0);
    expect(readFileSync(real, "utf8")).toBe("{}");
  });

  it.each<[string, string, string]>([
    ["broken JSON", "claude", "{"],
    ["hooks of another type", "gemini", '{"hooks": "no"}'],
    ["broken TOML", "codex", "model = "],
    ["a file of somebody else", "copilot", "{}"],
  ])("rejects %s, and changes no agent", async (_what, agent, text) => {
    const file = await writeSettings(agent, text);
    const { code, stderr } = await guard("install", "pi", agent);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file} was not changed`);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(lstatSync(settings("pi"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("rejects folders, read-only files, binary files and dangling links", async () => {
    const file = await writeSettings("claude", "{}");
    chmodSync(file, 0o444);
    expect((await guard("install", "claude")).stderr).toContain("read-only");
    chmodSync(file, 0o644);
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await guard("install", "claude")).stderr).toContain("was not changed");
    mkdirSync(settings("gemini"), { recursive: true });
    expect((await guard("install", "gemini")).stderr).toContain("it is not a file");
    mkdirSync(join(home, ".cursor"));
    symlinkSync(join(home, "gone"), settings("cursor"));
    expect((await guard("install", "cursor")).code).toBe(1);
  });

  it("rejects a policy that is invalid or missing", async () => {
    await writeFile(policy, "deny: [nonsense(]\n");
    for (const file of [policy, join(home, "gone.yaml"), home]) {
      const { code, stderr } = await guard("install", "claude", "--policy", file);
      expect(code).toBe(1);
      expect(stderr).toContain("Nothing was installed");
    }
    expect(lstatSync(settings("claude"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("rejects unknown agents, and calls by an agent", async () => {
    expect(await guard("install", "claud")).toMatchObject({ code: 2, stdout: "" });
    expect((await guard("install")).code).toBe(2);
    withVariables({ CLAUDECODE: "1" });
    for (const action of ["install", "uninstall"])
      expect((await guard(action, "claude")).stderr).toContain("INSIDE_SESSION");
  });

  it("uses the personal settings file of a project with --project", async () => {
    expect((await guard("install", "claude", "copilot", "--project", "--policy", policy)).code).toBe(0);
    expect(readFileSync(join(project, ".claude/settings.local.json"), "utf8")).toContain("guard-hook");
    const { stdout } = await guard("status");
    expect(stdout).toContain(`claude: guarded, by ${join(project, ".claude/settings.local.json")}`);
    expect((await guard("uninstall", "--project")).code).toBe(0);
    expect(await readdir(join(project, ".github/hooks"))).toEqual([]);
  });
});

describe("an installed hook", () => {
  it("is broken if hooks are disabled or its policy is missing", async () => {
    await writeSettings("claude", '{"disableAllHooks": true}');
    await guard("install", "claude", "--policy", policy);
    await writeFile(policy, "deny: 7\n");
    const { code, stdout } = await guard("status");
    expect(code).toBe(1);
    expect(stdout).toMatch(/disableAllHooks is set[^]*Every call except reading the rules is denied/);
  });

  it.each([
    ["claude", ".claude/settings.json", '{ "disableAllHooks": true }', "disableAllHooks is set"],
    ["claude", ".claude/settings.local.json", '{ "disableAllHooks": true }', "disableAllHooks is set"],
    [
      "gemini",
      ".gemini/settings.json",
      '{ "hooksConfig": { "enabled": false } }',
      "hooksConfig.enabled is false",
    ],
    ["codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks is false"],
  ])("is broken in a repository that disables the hooks of %s in %s", async (agent, name, text, pattern) => {
    await guard("install", agent, "--policy", policy);
    if (agent === "codex") await trustInCodex(settings(agent));
    expect((await guard("status")).code).toBe(0);
    const file = join(project, name);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, text);
    const { code, stdout } = await guard("status");
    expect(code).toBe(1);
    expect(stdout).toContain(`problem: ${file}: ${pattern}`);
    await writeFile(file, "{ broken");
    expect((await guard("status")).stdout).toContain(`because ${file} cannot be read`);
    expect(readFileSync(file, "utf8")).toBe("{ broken");
  });

  it("has a log that can be followed", async () => {
    const later = () => hook(claude("rm later"), ["claude", "--policy", policy, "--watch-only"]);
    const following = start(["guard", "log", "--follow"], project, env);
    let output = "";
    const isThere = new Promise<void>((resolve) => {
      following.stdout.on("data", (chunk) => {
        output += String(chunk);
        if (output.includes("rm later")) resolve();
      });
    });
    await later();
    await isThere;
    const isOver = new Promise((resolve) => following.once("close", resolve));
    following.kill("SIGINT");
    expect(await isOver).toBe(0);
  });

  it("has no log at first, and prints its future path", async () => {
    const { code, stdout, stderr } = await guard("log");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("there are no entries");
  });
});
