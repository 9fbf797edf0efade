import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { canMount, NAMESPACES } from "../durability/faults/small-disk.ts";
import { haft, haftHere } from "../support/haft.ts";
import { env, home, makeHome } from "./guard-home.ts";

beforeEach(() => makeHome());

function put(name: string, text: string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const policy = (...words: string[]) => haftHere(["policy", "import", ...words], { cwd: home, env });

/** The policy, which loads without a warning as rules for agents. */
async function imported(
  ...words: string[]
): Promise<{ config: Record<string, unknown>; left: string[]; text: string }> {
  const [found] = (await policy(...words, "--json")).lines();
  const file = put("imported.yaml", found.policy);
  const checked = await haftHere(["policy", "check", "--guard", file], { cwd: home, env });
  expect(checked.code).toBe(0);
  expect(checked.stdout).toContain(`${file}: no problems`);
  expect(parse(found.policy)).toEqual(found.config);
  return {
    config: found.config,
    text: found.policy,
    left: found.notTranslated.map(
      ({ line, text, why }: Record<string, unknown>) => `${String(line)} ${String(text)}: ${String(why)}`,
    ),
  };
}

const trying = async (command: string) => {
  const input = JSON.stringify({ session_id: "s", cwd: home, tool_name: "Bash", tool_input: { command } });
  const file = join(home, "imported.yaml");
  const [tried] = (
    await haft(["guard", "try", "claude", "--policy", file, "--json"], { cwd: home, env, input })
  ).lines();
  return tried.effect;
};

describe("haft policy import, to a file", () => {
  const rules = '{ "permissions": { "deny": ["Bash(rm:*)"] } }';

  it("replaces an existing file only with --yes", async () => {
    const from = put("from.json", rules);
    const out = put("guard.yaml", "deny: [write]\n");
    const before = readdirSync(home);
    const refused = await policy("claude", from, "--out", out);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("exists already") });
    expect(readFileSync(out, "utf8")).toBe("deny: [write]\n");
    expect(await policy("claude", from, "--out", out, "--yes")).toMatchObject({ code: 0 });
    expect(readFileSync(out, "utf8")).toContain("rm");
    expect(readdirSync(home)).toEqual(before);
  });

  it.skipIf(!canMount)("keeps the file on a full disk, without temporary files", () => {
    const denied = Array.from({ length: 300 }, (_, index) => `Bash(tool-${index}:*)`);
    const from = put("from.json", JSON.stringify({ permissions: { deny: denied } }));
    const disk = dirname(put("disk/.keep", ""));
    const script = `mount -t tmpfs -o size=16k,mode=700 none "$0" && printf 'deny: [write]\n' > "$0/guard.yaml" &&
      { dd if=/dev/zero of="$0/.filler" 2>/dev/null; "$@"; cat "$0/guard.yaml"; ls -A "$0"; }`;
    const words = ["policy", "import", "claude", from, "--out", join(disk, "guard.yaml"), "--yes"];
    const { stdout, stderr } = spawnSync(
      "unshare",
      [...NAMESPACES, "sh", "-c", script, disk, ...haftCommand, ...words],
      { cwd: home, env: { ...process.env, ...env }, encoding: "utf8" },
    );
    expect(stderr).toMatch(/cannot write .*(?:ENOSPC|no space)/);
    expect(stdout).toBe("deny: [write]\n.filler\nguard.yaml\n");
  });
});

describe("haft policy import, of unusable settings", () => {
  it("reports the problem, and writes nothing", async () => {
    expect((await policy()).code).toBe(2);
    expect((await policy("copilot")).stderr).toContain("there are claude, codex, gemini, opencode");
    expect((await policy("claude", "a", "b")).code).toBe(2);
    expect((await policy("claude")).stderr).toContain(
      ".claude/settings.json does not exist, so claude has no rules",
    );
    expect((await policy("claude", "gone.json")).stderr).toContain("gone.json does not exist");
    for (const [agent, name, text] of [
      ["claude", "a.json", '{"permissions":'],
      ["claude", "b.json", '{"permissions":[]}'],
      ["opencode", "c.json", "[]"],
      ["gemini", "d.json", '{"tools":{"core":[],"core":[]}}'],
      ["codex", "e.toml", "approval_policy = "],
      ["gemini", "f.toml", "[[rule]\n"],
    ] as const) {
      const file = put(name, text);
      const { code, stdout, stderr } = await policy(agent, file, "--out", join(home, "out.yaml"));
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(file);
    }
    const pipe = join(home, "pipe");
    expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
    expect((await policy("claude", pipe)).stderr).toContain("it is not a file");
  });

  it("makes a policy from settings without rules, which asks like the agent", async () => {
    put(".claude/settings.json", "");
    const { config } = await imported("claude");
    expect(config).toEqual({
      ask: expect.arrayContaining(["exec", "write", "edit", "web_fetch", "mcp(*/*)"]),
    });
  });
});

describe("haft policy import", () => {
  it("claude: names the line of each entry, and lists entries that changed their meaning", async () => {
    put(
      ".claude/settings.json",
      `{
  // mine
  "permissions": {
    "allow": ["Bash(git status:*)", "Bash(ls)", "Edit(src/**)", "Read"],
    "ask": ["Bash(git push *)"],
    "deny": [
      "Read(./secrets/**)",
      "Read(//srv/x)",
      "Edit(~/.ssh/**)",
      "Bash(curl * | sh)",
      "mcp__github__delete_repo",
      "Agent(Explore)"
    ],
  }
}`,
    );
    const { config, left, text } = await imported("claude");
    expect(config).toMatchObject({
      deny: expect.arrayContaining([
        "read(path:secrets/**)",
        "grep(path:/srv/x/**)",
        `write(path:${join(home, ".ssh")}/**)`,
        "mcp(github/delete_repo)",
      ]),
      ask: expect.arrayContaining(["exec(git push)", "exec(git push *)", "exec(curl)", "claude/Agent"]),
      exec: { security: "allowlist", ask: "on-miss", safeBins: [], allow: ["git status *", "git status"] },
    });
    expect(text).toContain(`settings.json:7 "Read(./secrets/**)"\n  - "read(path:secrets/**)"`);
    expect(left.map((each) => each.replace(/: .*/s, ""))).toEqual([
      '10 "Bash(curl * | sh)"',
      '12 "Agent(Explore)"',
      '4 "Bash(ls)"',
      '4 "Edit(src/**)"',
      "undefined questions of Claude by default",
    ]);
    expect(await trying("git status -s")).toBe("allow");
    expect(await trying("git push")).toBe("ask");
    expect(await trying("ls -la /srv")).toBe("ask");
  });

  it("claude: allows for a bypass mode, but keeps denials", async () => {
    const file = put(
      "s.json",
      '{"permissions":{"defaultMode":"bypassPermissions","deny":["Bash(rm *)","Bash"],"ask":["Bash(rm *)"]}}',
    );
    expect((await imported("claude", file)).config).toEqual({ deny: ["exec(rm *)", "exec"] });
  });

  it("codex: asks and denies like its rules, and leaves its sandbox to it", async () => {
    put(
      ".codex/config.toml",
      '# mine\napproval_policy = "untrusted"\nsandbox_mode = "read-only"\n[mcp_servers.docs]\ncommand = "x"\ndisabled_tools = ["drop"]\n',
    );
    put(
      ".codex/rules/default.rules",
      `# kept by hand
prefix_rule(
    pattern = ["gh", "pr", ["view", "list"]],
    decision = "prompt",
    match = ["gh pr view 7"], # one
)
prefix_rule(pattern=["git", "status"], decision="allow")
prefix_rule(pattern=["rm"], decision="forbidden", justification="no")
host_executable(name = "git")
`,
    );
    const { config, left } = await imported("codex");
    expect(config).toEqual({
      deny: ["mcp(docs/drop)", "exec(rm *)"],
      ask: expect.arrayContaining([
        "write",
        "edit",
        "apply_patch",
        "exec(gh pr view *)",
        "exec(gh pr list)",
        "exec",
      ]),
      exec: { security: "allowlist", ask: "on-miss", safeBins: [], allow: ["git status", "git status *"] },
    });
    expect(
      left.some((each) => each.startsWith('9 host_executable(name = "git"): it cannot be expressed')),
    ).toBe(true);
    expect(left.some((each) => each.startsWith('3 sandbox_mode = "read-only"'))).toBe(true);
  });

  it("codex: names no lines for missing settings and for settings of a profile", async () => {
    const file = put("c.toml", 'model = "x"\n[profiles.a]\nsandbox_mode = "danger-full-access"\n');
    const { config, left } = await imported("codex", file);
    expect(config).toEqual({ ask: ["write", "edit", "apply_patch"] });
    expect(left.map((each) => each.replace(/: .*/s, ""))).toEqual([
      "undefined default of Codex for sandbox_mode",
      "2 [profiles.a]",
    ]);
    const { stderr } = await policy("codex", file);
    expect(stderr).toContain(`${file}: default of Codex for sandbox_mode: commands cannot write`);
  });

  it("gemini: imports lists of tools, and applies rules about some arguments to all calls", async () => {
    put(
      ".gemini/settings.json",
      '{"tools":{"core":["read_file","run_shell_command(git)"],"exclude":["run_shell_command(rm -rf)"],"allowed":["run_shell_command(git status)","write_file"]},"mcp":{"excluded":["old"]}}',
    );
    put(
      ".gemini/policies/mine.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git log", "git diff"]\ndecision = "allow"\npriority = 100\n\n[[rule]]\ntoolName = "read_file"\nargsPattern = "secret"\ndecision = "deny"\npriority = 9\n\n[[rule]]\ntoolName = "glob"\ncommandPrefix = [7]\ndecision = "deny"\n',
    );
    const { config, left } = await imported("gemini");
    expect(config).toMatchObject({
      deny: expect.arrayContaining([
        "write",
        "edit",
        "web_fetch",
        "exec(rm -rf)",
        "exec(rm -rf *)",
        "mcp(old/*)",
      ]),
      ask: expect.arrayContaining(["read"]),
      exec: { allow: ["git status *", "git status", "git log *", "git log", "git diff *", "git diff"] },
    });
    expect(left.some((each) => each.includes("argsPattern") || each.startsWith("7 "))).toBe(true);
  });

  it("opencode: uses the last matching entry, and holds back rules of its own agents", async () => {
    const file = put(
      "opencode.jsonc",
      `{
  "permission": {
    "*": "ask",
    "bash": { "git *": "allow", "*": "ask", "git log *": "allow", "git push *": "deny", "l?": "allow" },
    "edit": { "*": "allow", "*.env": "deny" }
  },
  "agent": { "plan": { "permission": { "webfetch": "deny" } } },
  "tools": { "my_tool": false }
}`,
    );
    const { config, left } = await imported("opencode", file);
    expect(config).toMatchObject({
      deny: expect.arrayContaining([
        "exec(git push *)",
        "exec(git push)",
        "edit(path:**/*.env)",
        "mcp(my/tool)",
      ]),
      ask: expect.arrayContaining(["read", "write", "edit", "web_fetch"]),
      exec: { allow: ["git log *", "git log"] },
    });
    expect(left.some((each) => each.startsWith('4 "allow": a later * overrides it'))).toBe(true);
  });

  it("writes to the named file, and lists untranslated lines", async () => {
    const file = put("s.json", '{\n"permissions":{"allow":["Bash(ls)"]}}');
    const out = join(home, "p.yaml");
    const { code, stdout, stderr } = await policy("claude", file, "--out", out);
    expect([code, stdout]).toEqual([0, `Written to ${out}. Check it: haft policy check --guard ${out}\n`]);
    expect(stderr).toMatch(/s\.json:2: "Bash\(ls\)": .* so it is not allowed\.\n/);
  });
});
