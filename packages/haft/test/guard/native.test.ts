import { fc, it } from "@fast-check/vitest";
import { getAgent, decide, guardTools } from "@haft/guard";
import { claudeRules, pathDenials, allSettings, type HookEntry } from "@haft/guard/internal/agents";
import { createPolicy } from "@haft/policy";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { guard, home, makeHome, policy } from "./guard-home.ts";

const claude = allSettings.get("claude")!;
const native = claude.native!;
const line: HookEntry = {
  program: ["/opt/node", "/opt/guard-hook.js"],
  env: {},
  watchdog: [],
  watchOnly: false,
};
const other: HookEntry = { ...line, policyFile: "/home/ann/guard.yaml" };
const denials = (deny: string[], more: object = {}) =>
  pathDenials(
    {
      policy: { config: { deny, ...more }, source: "p", lines: {}, files: {} },
      workspace: [],
      notes: [],
      files: [],
    },
    "claude",
    false,
  );

describe("native rules in an agent's settings", () => {
  const gap = fc.constantFrom("", " ", "\n    ", "\r\n", " // mine [\n", "/* , ] */");
  const rule = fc.constantFrom("Read(./x)", "Read(//haft-guard/other)", "Bash(rm *)");
  const texts = fc
    .tuple(
      fc.array(rule, { maxLength: 3 }),
      gap,
      gap,
      fc.constantFrom("whole", "no list", "no permissions", "empty"),
      fc.boolean(),
    )
    .map(([rules, a, b, shape, trailing]) => {
      if (shape === "empty") return `{${a}}`;
      if (shape === "no permissions") return `{${a}"model":${b}"x"${a}}`;
      const list = `[${a}${rules.map((each) => JSON.stringify(each)).join(`${b},${a}`)}${trailing && rules.length > 0 ? "," : ""}${b}]`;
      const inner = shape === "no list" ? `"allow":${a}[]` : `"allow":[],${b}"deny"${a}:${list}`;
      return `{${b}"permissions":${a}{${b}${inner}${a}}${b}}${a}`;
    });
  const sets = fc.array(fc.constantFrom("Read(./secrets/**)", "Read(**/.env)", "Read(//srv/x)"), {
    minLength: 1,
    maxLength: 3,
  });

  it.prop([fc.option(texts, { nil: undefined }), sets, sets])(
    "are found, changed and removed without other changes",
    (text, first, second) => {
      const installed = native.write(claude.install(text, line), first);
      expect(native.read(installed)).toEqual(first);
      const again = native.write(claude.install(installed, line), first);
      expect(again).toBe(installed);
      const changed = native.write(claude.install(installed, other), second);
      expect(native.read(changed)).toEqual(second);
      expect(claude.installed(changed)).toHaveLength(1);
      expect(claude.uninstall(changed)).toBe(text);
      expect(native.write(installed, [])).toBe(claude.install(text, line));
    },
  );

  test("are rejected without a mark, or if the list is invalid", () => {
    const installed = native.write("{}", ["Read(./a)"]);
    const broken = installed.replace(',"Read(//haft-guard/end)"', "");
    for (const act of [
      () => native.read(broken),
      () => claude.uninstall(broken),
      () => claude.install(broken, line),
    ])
      expect(act).toThrow("are incomplete; remove them by hand");
    expect(() => native.write('{"permissions":{"deny":"x"}}', ["Read(./a)"])).toThrow(
      "permissions.deny is of type string",
    );
  });
});

describe("native rules of Claude", () => {
  test("contain only denied reads, under any name, and list their gaps", () => {
    const deny = [
      "read(path:secrets/**)",
      "group:fs(path:**/.env)",
      "effect:read(path:/srv/{a,b}/**)",
      "*(path:x)",
      "write(path:y)",
      "read(path:a\\[1\\])",
      "read(path:z, arg:limit=1)",
      "exec(rm *)",
      "mcp(a/b)",
    ];
    expect(claudeRules(denials(deny))).toEqual({
      rules: ["Read(./secrets/**)", "Read(**/.env)", "Read(//srv/a/**)", "Read(//srv/b/**)", "Read(./x)"],
      notes: [expect.stringContaining("arg:limit=1"), expect.stringContaining("Native rules cannot express")],
    });
    expect(claudeRules(denials(["read"])).rules).toEqual(["Read"]);
    expect(claudeRules(denials(["read(path:a)"], { mode: "shadow" })).rules).toEqual([]);
    expect(
      claudeRules(
        denials([], { agents: { claude: { deny: ["read(path:a)"] }, codex: { deny: ["read(path:b)"] } } }),
      ).rules,
    ).toEqual(["Read(./a)"]);
  });

  const pattern = fc.constantFrom(
    "secrets/**",
    "**/.env",
    "*.key",
    "src/{a,b}/**",
    "src/*.ts",
    "a?b",
    "**/x/*.md",
    "src/**/c.ts",
  );
  const file = fc.constantFrom(
    "secrets/a/b",
    ".env",
    "src/.env",
    "k.key",
    "src/k.key",
    "src/a/x",
    "src/b/q/r",
    "src/x.ts",
    "acb",
    "d/x/y.md",
    "src/c.ts",
    "src/q/c.ts",
  );
  it.prop([fc.array(pattern, { minLength: 1, maxLength: 3 }), file], { numRuns: scaleRuns(40, 4) })(
    "match the same files as the policy and as git",
    async (patterns, path) => {
      const folder = await temporaryFolder();
      const deny = patterns.map((each) => `read(path:${each})`);
      const known = getAgent("claude");
      const policy = createPolicy({ deny }, { tools: guardTools(known), partial: true });
      const payload = known.read(
        { tool_name: "Read", tool_input: { file_path: join(folder, path) }, cwd: folder },
        { env: {}, cwd: folder },
      );
      const location = { home: "/nowhere", haftPaths: [], env: {} };
      const { judgement } = await decide(known, payload, {
        policy,
        protectedPaths: location,
        root: folder,
        env: {},
      });
      const { rules } = claudeRules(denials(deny));
      spawnSync("git", ["init", "-q", folder]);
      writeFileSync(
        join(folder, ".gitignore"),
        rules.map((each) => `${each.slice("Read(".length, -1).replace(/^\.\//, "/")}\n`).join(""),
      );
      const { status } = spawnSync("git", ["check-ignore", "-q", "--no-index", path], { cwd: folder });
      expect([path, rules, status === 0]).toEqual([path, rules, judgement?.effect === "deny"]);
      rmSync(folder, { recursive: true, force: true });
    },
  );
});

describe("haft guard install --native", () => {
  const settings = () => readFileSync(join(home, ".claude/settings.json"), "utf8");

  beforeEach(async () => {
    await makeHome('deny: ["read(path:secrets/**)"]\n');
    mkdirSync(join(home, ".claude"));
  });

  test("follows the policy, reports outdated rules, and is removed completely", async () => {
    const was = '{\n  "permissions": { "deny": [ "Read(./mine)" ] } // mine\n}\n';
    writeFileSync(join(home, ".claude/settings.json"), was);
    expect(await guard("install", "claude", "--native", "--watch-only")).toMatchObject({ code: 2 });
    const installed = await guard("install", "claude", "pi", "--native", "--policy", policy);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain("Its native rules also deny: Read(./secrets/**)");
    expect(installed.stdout).toContain("pi has no native rules for files that bypass its hook.");
    expect((await guard("status")).stdout).toContain("its native rules also deny: Read(./secrets/**)");

    writeFileSync(policy, 'deny: ["read(path:keys/**)"]\n');
    const behind = await guard("status");
    expect(behind.code).toBe(1);
    expect(behind.stdout).toContain(
      "Its native rules are outdated: Read(./keys/**) is missing. Run haft guard install claude --native again.",
    );
    expect(behind.stdout).toContain("the policy no longer has Read(./secrets/**)");

    // Once it is there, whatever is installed later keeps it as the rules are.
    expect((await guard("install", "claude", "--policy", policy)).code).toBe(0);
    expect(settings()).toContain('"Read(//haft-guard/begin)","Read(./keys/**)","Read(//haft-guard/end)"');
    expect((await guard("status")).code).toBe(0);
    writeFileSync(policy, "deny: []\n");
    expect((await guard("install", "claude", "--policy", policy)).stdout).toContain(
      "The rules deny reading of no path",
    );
    expect(settings()).not.toContain("haft-guard/begin");
    writeFileSync(policy, 'deny: ["read(path:keys/**)"]\n');
    expect((await guard("install", "claude", "--native", "--policy", policy)).code).toBe(0);
    expect((await guard("uninstall", "claude")).code).toBe(0);
    expect(settings()).toBe(was);
  });
});
