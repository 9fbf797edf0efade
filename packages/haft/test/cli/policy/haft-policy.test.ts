import { policySchema } from "@haft/policy";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

async function folderWith(files: Record<string, string>): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  return cwd;
}

describe("check", () => {
  test("reports every problem of every file with line and suggestion, and fails", async () => {
    const cwd = await folderWith({
      "good.yaml": "# fine\ndeny: [write]\n",
      "bad.yaml": "deny:\n  - write\n  - wirte\nsessions:\n  grup: {}\nexec:\n  preset: carefull\n",
    });
    const run = await haftHere(["policy", "check", "good.yaml", "bad.yaml", "missing.yaml"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("good.yaml: no problems.\n");
    const lines = run.stderr.trim().split("\n");
    expect(lines).toContainEqual(
      expect.stringMatching(/^bad\.yaml:3: deny\[1\]: .*"wirte".*Did you mean "write"/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^bad\.yaml:5: sessions\.grup: .*Did you mean "group"\?/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^bad\.yaml:7: exec\.preset: .*Did you mean "careful"\?/),
    );
    expect(lines).toContainEqual("missing.yaml: cannot read it: there is no such file.");
    expect(lines).toHaveLength(4);
  });

  test("accepts one file for hosts and guarded agents, and rejects a mistake in both", async () => {
    const shared =
      "deny: [exec(rm -rf *), mcp(github/delete_*)]\nagents: { codex: { deny: [web_fetch, WebSearch] } }\n";
    const cwd = await folderWith({
      "both.yaml": shared,
      "wrong.yaml": "deny: [Bash(git push *), group:f]\n",
    });
    for (const more of [[], ["--guard"]]) {
      expect(await haftHere(["policy", "check", "both.yaml", ...more], { cwd })).toMatchObject({ code: 0 });
      const wrong = await haftHere(["policy", "check", "wrong.yaml", "--json", ...more], { cwd });
      expect(JSON.parse(wrong.stdout)).toMatchObject({
        ok: false,
        files: [{ problems: [{ path: "deny[0]" }, { path: "deny[1]", nearest: ["group:fs"] }] }],
      });
    }
  });

  test("checks programs also for guarded agents", async () => {
    const cwd = await folderWith({ "p.yaml": "deny: [exec(gti push *)]\nexec: { allow: ['sh -c *'] }\n" });
    const { stdout } = await haftHere(["policy", "check", "p.yaml", "--guard", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ problems: [], warnings: [{ path: "deny[0]" }, { path: "exec.allow[0]" }] }],
    });
  });

  test.for([
    ["an empty file", "", /it is empty/],
    ["comments alone", "# nothing\n", /it is empty/],
    ["a key twice", "deny: [write]\ndeny: [read]\n", /p:2: .*unique/],
    ["two documents", "deny: [write]\n---\nallow: [read]\n", /p:2: /],
    ["a tab", "deny:\n\t- write\n", /p:2: .*[Tt]ab/],
    ["a bare star", "deny: [*]\n", /quotes: "\*"|[Aa]lias/],
    ["comments of another language", '{ // none\n  "deny": ["write"] }\n', /p:1: .*Comments begin with #/],
    ["one of those before everything", '// none\n{ "deny": ["write"] }\n', /Comments begin with #/],
    ["no text", "\u00ff\u0000", /p: /],
    ["a list", "- write\n", /Expected an object/],
  ] as const)("reports %s as a problem", async ([, text, message]) => {
    const run = await haftHere(["policy", "check", "p"], { cwd: await folderWith({ p: text }) });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(message);
    expect(run.stderr).toMatch(/^p/);
  });

  test("accepts JSON with # comments and a trailing comma", async () => {
    const cwd = await folderWith({ "p.json": '{\n  # held back\n  "deny": ["write",],\n}\n' });
    expect(await haftHere(["policy", "check", "p.json"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });

  test("reports a folder, and a path that leads through a file", async () => {
    const cwd = await folderWith({ f: "{}" });
    await mkdir(join(cwd, "rules"));
    const run = await haftHere(["policy", "check", "rules", "f/x", "f"], { cwd });
    expect(run).toMatchObject({ code: 1, stdout: "f: no problems.\n" });
    expect(run.stderr).toBe(
      "rules: cannot read it: it is a folder; name a file in it.\nf/x: cannot read it: there is no such file.\n",
    );
    expect((await haftHere(["explain", "read", "--policy", "rules"], { cwd })).stderr).toMatch(
      /--policy: rules: cannot read it: it is a folder/,
    );
  });

  test.for([
    ["lines that are no YAML", `deny:\n${"\t- x\n".repeat(200)}`, 200],
    ["entries that are wrong", `deny:\n${"  - wirte\n".repeat(100)}`, 100],
  ] as const)("prints the first %s and their number if there are many", async ([, text, count]) => {
    const cwd = await folderWith({ p: text });
    const lines = (await haftHere(["policy", "check", "p"], { cwd })).stderr.trim().split("\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe(`p: ${count - 20} more problems.`);
    const [json] = (await haftHere(["policy", "check", "p", "--json"], { cwd })).lines();
    expect(json.files[0].problems).toHaveLength(count);
  });

  test("ignores the schema that a file names", async () => {
    const cwd = await folderWith({
      "p.json": '{ "$schema": "./s.json", "deny": ["write"] }',
      q: "$schema: 7",
    });
    expect(await haftHere(["policy", "check", "p.json"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect((await haftHere(["policy", "check", "q"], { cwd })).stderr).toMatch(
      /^q:1: \$schema: Expected text/,
    );
    await writeFile(join(cwd, "r"), "sessions: { main: { $schema: x } }");
    expect((await haftHere(["policy", "check", "r"], { cwd })).stderr).toMatch(
      /^r:1: sessions\.main\.\$schema: /,
    );
  });

  test("warns about probable mistakes, once per rule, and passes", async () => {
    const policy = [
      "exec:",
      "  ask: on-miss",
      "  allow:",
      '    - "git status*"',
      '    - "sh -c *"',
      '    - "no-such-program-here *"',
      '    - "env *"',
      '    - "sh *"',
      "    - make",
      "    - sed",
      "deny:",
      "  - read(path:secret/**)",
      "  - exec(no-such-program-here)",
      "  - exec(rm *)",
    ].join("\n");
    const cwd = await folderWith({ "p.yaml": policy });
    const run = await haftHere(["policy", "check", "p.yaml"], { cwd });
    expect(run).toMatchObject({ code: 0, stdout: "p.yaml: no problems, 7 warnings.\n" });
    expect(run.stderr.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^p\.yaml:5: warning: exec\.allow\[1\]: A list never allows this: each command of the text/,
      ),
      'p.yaml:6: warning: exec.allow[2]: This machine has no program "no-such-program-here".',
      expect.stringMatching(/^p\.yaml:7: warning: exec\.allow\[3\]: env starts other programs/),
      expect.stringMatching(
        /^p\.yaml:8: warning: exec\.allow\[4\]: sh runs any code it is given, so this entry allows any program/,
      ),
      "p.yaml:9: warning: exec.allow[5]: make runs what files of its folder say, so this entry allows any program; name the allowed arguments.",
      expect.stringMatching(
        /^p\.yaml:12: warning: deny\[0\]: .*edit, .*can still read there\. Did you mean "effect:read\(path:secret/,
      ),
      'p.yaml:13: warning: deny[1]: This machine has no program "no-such-program-here".',
    ]);
    const [json] = (await haftHere(["policy", "check", "p.yaml", "--json"], { cwd })).lines();
    expect(json).toMatchObject({ ok: true, files: [{ problems: [], warnings: { length: 7 } }] });
  });

  test("checks arguments against the tools that exist here", async () => {
    const cwd = await folderWith({
      p: 'deny: ["write(arg:pth=x)", "exec(arg:cmd=*)", "edit(arg:edits.path=x)"]',
    });
    const run = await haftHere(["policy", "check", "p"], { cwd });
    expect(run.code).toBe(1);
    const lines = run.stderr.trim().split("\n");
    expect(lines[0]).toMatch(
      /^p:1: deny\[0\]: No call of write has an argument "pth".*Did you mean "write\(arg:path=x\)"/,
    );
    expect(lines[1]).toMatch(/^p:1: deny\[1\]: .*Did you mean "exec\(arg:command=\*\)"/);
    expect(lines[2]).toMatch(/^p:1: deny\[2\]: No call of edit/);
    expect(lines).toHaveLength(3);
  });

  test("checks rules of the administrator differently", async () => {
    const cwd = await folderWith({ "admin.yaml": "deny: [write]\nmode: off\n" });
    expect(await haftHere(["policy", "check", "admin.yaml"], { cwd })).toMatchObject({ code: 0 });
    const run = await haftHere(["policy", "check", "--admin-policy", "admin.yaml"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^admin\.yaml:2: mode: /);
  });

  test("prints JSON for programs", async () => {
    const cwd = await folderWith({ p: "deny: [wirte]" });
    const [result] = (await haftHere(["policy", "check", "p", "--json"], { cwd })).lines();
    expect(result).toMatchObject({
      ok: false,
      files: [
        { file: "p", problems: [{ path: "deny[0]", line: 1, nearest: expect.arrayContaining(["write"]) }] },
      ],
    });
  });
});

describe("test", () => {
  const policy =
    'exec: { preset: careful, allow: ["git status*"] }\nsessions:\n  group: { grant: [write], ask: [write] }\n';
  const right = `
- { tool: exec, args: { command: git status }, expect: allow }
- session: main
  tool: exec
  args: { command: git status | sh }
  expect: ask
  because: exec.allow
- { session: group, tool: edit, args: { path: a, old_string: x, new_string: y }, expect: deny }
- { session: group, tool: write, sender: "id:7", expect: ask, because: "sessions.group.ask" }
`;

  test("passes with the rules that decide, and runs nothing", async () => {
    const cwd = await folderWith({ "policy.yaml": policy, "tests.yaml": right });
    const run = await haftHere(["policy", "test", "tests.yaml", "--policy", "policy.yaml"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("4 of 4 as expected.");
    expect(run.stdout).toMatch(
      /✓ {2}tests\.yaml:9 +group +write +ask +ask "write" — policy\.yaml:3: sessions\.group\.ask\[0\]/,
    );
  });

  test("fails with the decision and its reason", async () => {
    const wrong =
      '- { tool: exec, args: { command: rm -rf x }, expect: allow }\n- { tool: raed, expect: deny }\n- { tool: exec, args: { command: git status }, expect: allow, because: "nothing" }\n';
    const cwd = await folderWith({ "policy.yaml": policy, "tests.yaml": wrong });
    const run = await haftHere(["policy", "test", "tests.yaml", "--policy", "policy.yaml"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ {2}tests\.yaml:1 .*ask, expected allow[^]*"rm -rf x" is not listed/);
    expect(run.stdout).toMatch(/✗ {2}tests\.yaml:2 .*error, expected deny/);
    expect(run.stdout).toMatch(/✗ {2}tests\.yaml:3 [^]*expected because: nothing/);
    expect(run.stdout).toContain("0 of 3 as expected, 3 not.");
    const [json] = (
      await haftHere(["policy", "test", "tests.yaml", "--policy", "policy.yaml", "--json"], { cwd })
    ).lines();
    expect(json).toMatchObject({
      ok: false,
      results: [{ file: "tests.yaml", result: { passed: false, effect: "ask" } }, {}, {}],
    });
  });

  test.for([
    [
      "that is not there",
      "none.yaml",
      /none\.yaml: cannot read it: there is no such file\.\nCorrect the file/,
    ],
    ["that is no YAML", "broken.yaml", /broken\.yaml:2: /],
  ] as const)("fails for a file %s, like check", async ([, file, message]) => {
    const cwd = await folderWith({ "broken.yaml": "- tool: exec\n\t- b\n" });
    const run = await haftHere(["policy", "test", file, "--json"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(message);
    expect(run.lines()).toMatchObject([{ error: "POLICY_UNREADABLE" }]);
    expect(await haftHere(["policy", "check", file], { cwd })).toMatchObject({ code: 1 });
  });

  test("reports the lines of an invalid file", async () => {
    const cwd = await folderWith({ "tests.yaml": "- tool: exec\n  expect: aks\n- expect: ask\n" });
    const run = await haftHere(["policy", "test", "tests.yaml"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /tests\.yaml:2: \[0\]\.expect: .*Did you mean ask\?[^]*tests\.yaml:3: \[1\]: It has no tool/,
    );
  });

  test("expects the containment of commands in each kind of session", async () => {
    const cwd = await folderWith({
      "policy.yaml":
        "exec: { containment: workspace }\nsessions: { group: { exec: { containment: read-only } } }\n",
      "tests.yaml":
        "- { tool: read, args: { path: a }, expect: allow, containment: workspace }\n" +
        "- { session: group, tool: read, args: { path: a }, expect: allow, containment: workspace }\n" +
        "- { session: sandboxed, tool: read, expect: allow, containment: none }\n",
    });
    const run = await haftHere(["policy", "test", "tests.yaml", "--policy", "policy.yaml"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ {2}tests\.yaml:2 [^]*containment: read-only, expected workspace/);
    expect(run.stdout).toContain("2 of 3 as expected, 1 not.");
  });

  test("applies denials of the administrator before the policy", async () => {
    const cwd = await folderWith({
      "admin.yaml": "deny: [write]\n",
      "policy.yaml": "sessions: { group: { grant: [write] } }\n",
      "tests.yaml": "- { session: group, tool: write, expect: deny, because: admin.yaml }\n",
    });
    const args = ["policy", "test", "tests.yaml", "--policy", "policy.yaml", "--admin-policy", "admin.yaml"];
    expect(await haftHere(args, { cwd })).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("matrix and schema", () => {
  test("print text and JSON", async () => {
    const cwd = await folderWith({ "p.yaml": "sessions: { group: { deny: [bash] } }\n" });
    const matrix = (...args: string[]) =>
      haftHere(["tools", "--all", "--policy", "p.yaml", ...args], { cwd });
    expect((await matrix()).stdout).toMatch(/^tool +main +group +sandboxed\n[^]*bash +ask +deny +allow/);
    const [json] = (await matrix("--json")).lines();
    const bash = json.rows.find(({ name }: { name: string }) => name === "bash");
    expect(bash.cells.group).toMatchObject({ word: "deny", source: "p.yaml:1: sessions.group.deny[0]" });
  });

  test("publish a schema that equals the generated schema", async () => {
    const published = await readFile(new URL("../../../policy.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(published)).toEqual(policySchema());
    const run = await haftHere(["policy", "schema"], { cwd: await temporaryFolder() });
    expect(JSON.parse(run.stdout)).toEqual(policySchema());
  });
});
