import { runHook } from "@haft/guard/internal/hook";
import { lazyHookModules } from "@haft/guard/internal/hook-modules";
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { haftHere } from "../support/haft.ts";
import { configure, env, home, makeHome, project, withVariables } from "./guard-home.ts";

const DAY = 86_400_000;

/** The file of rules that would change. */
let policy = "";
let log = "";

const CAREFUL = `# mine
exec:
  preset: careful # all others are asked about
  allow:
    - ls # looks
deny: ["exec(rm *)"]
ask: ["exec(git push*)", write]
`;

beforeEach(async () => {
  await makeHome();
  withVariables({ CLAUDE_PROJECT_DIR: project });
  policy = join(home, "guard.yaml");
  log = join(home, "audit.jsonl");
  await configure(`audit: { file: ${log} }\n`);
  writeFileSync(policy, CAREFUL);
});

/** What a person is taken to have answered; `wait`: nothing yet. */
type Answer = "allow" | "deny" | "wait" | "watch";

/** Lets real hooks write the log: each command as often as it says. */
async function called(
  commands: Readonly<Record<string, readonly Answer[]>>,
  more: object = {},
): Promise<void> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const [command, answers] of Object.entries(commands))
    for (const answer of answers) {
      const payload = {
        session_id: "s",
        cwd: project,
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command },
        ...more,
      };
      const line = { agent: "claude", policyFile: policy, watchOnly: answer === "watch" };
      const run = await runHook(line, async () => JSON.stringify(payload), {
        ...lazyHookModules,
        openApprovals: async () => ({
          approvals: {
            ask: async () =>
              answer === "wait" || answer === "watch" ? { approvalId: "a1" } : { decided: answer },
          },
          async close() {},
        }),
      });
      expect(run.failure).toBeUndefined();
    }
  vi.unstubAllEnvs();
}

const write = (path: string) => ({
  tool_name: "Write",
  tool_input: { file_path: join(project, path), content: "x" },
});
const suggest = (...words: string[]) =>
  haftHere(["guard", "suggest", "--policy", policy, ...words], { cwd: project, env });
const asJson = async (...words: string[]) => (await suggest("--json", ...words)).lines()[0];
const entriesIn = (found: { proposals: { entry: string }[] }) => found.proposals.map(({ entry }) => entry);

/** What `git apply` makes of the policy file with the proposed change. */
function applied(diff: string, target = home): string {
  const file = join(home, "change.diff");
  writeFileSync(file, diff);
  const git = spawnSync("git", ["-C", target, "apply", file], { encoding: "utf8" });
  expect([git.status, git.stderr]).toEqual([0, ""]);
  return readFileSync(policy, "utf8");
}

describe("haft guard suggest, with little evidence", () => {
  it("reports a missing log, a log without calls of agents, and no newer calls", async () => {
    expect(await suggest()).toMatchObject({ code: 0, stdout: "" });
    expect((await suggest()).stderr).toContain(`there are no entries in ${log}`);
    writeFileSync(log, "");
    expect((await suggest()).stderr).toContain("no calls of agents, so there are no proposals");
    await called({ "cat a": ["allow", "allow"] });
    writeFileSync(log, readFileSync(log, "utf8").replaceAll(/"at":\d+/g, `"at":${Date.now() - 3 * DAY}`));
    expect((await suggest("--since", "2d")).stderr).toMatch(
      /no calls of agents since \d{4}-.*there are no proposals/,
    );
    expect(entriesIn(await asJson("--since", "4d"))).toEqual(["cat a"]);
    const out = join(home, "x.diff");
    expect((await suggest("--since", "2d", "--out", out)).stderr).toContain(`${out} was not written`);
  });

  it("rejects wrong words and times, invalid rules, pipes, code and several files", async () => {
    await called({ "cat a": ["allow", "allow"] });
    expect(await suggest("claude")).toMatchObject({ code: 2 });
    expect((await suggest("--since", "yesterday")).code).toBe(2);
    writeFileSync(policy, "deny: [");
    expect(await suggest()).toMatchObject({ code: 2 });
    expect((await suggest()).stderr).toContain("guard.yaml:1");
    writeFileSync(policy, "denny: []\n");
    expect(await suggest()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "deny"?\n'),
    });
    const pipe = join(home, "pipe");
    expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
    const bare = (words: string[]) => haftHere(["guard", "suggest", ...words], { cwd: project, env });
    expect((await bare(["--policy", pipe])).stderr).toContain("is not a file");
    expect((await bare([])).stderr).toContain("The operator has no rules to extend");
  });

  it("continues after broken lines, and reports them", async () => {
    await called({ "cat a": ["allow", "allow"] });
    appendFileSync(log, '{"audit":1,"at":17\nnonsense\n');
    await called({ "cat a": ["allow"] });
    const { code, stderr, stdout } = await suggest();
    expect(code).toBe(0);
    expect(stderr.match(/A part of a line/g)).toHaveLength(2);
    expect(stdout).toContain("allowed by a person 3 times");
  });

  it("reads rotated files", async () => {
    await called({ "cat a": ["allow"] });
    renameSync(log, `${log}.1`);
    await called({ "cat a": ["allow"] });
    const { proposals } = await asJson();
    expect(proposals).toMatchObject([{ entry: "cat a", evidence: [{ allowed: 2 }] }]);
  });
});

describe("haft guard suggest", () => {
  it("proposes calls that people always allowed, as a diff that applies, keeps comments and decides as stated", async () => {
    await called({
      "cat a": ["wait", "allow", "wait", "allow"],
      "cat b": ["allow", "deny", "allow"],
      "cat once": ["allow"],
      "cat never-answered": ["wait", "wait", "wait"],
      "git log -3": ["allow"],
      "git log --oneline": ["allow"],
      "git log -p": ["allow"],
      ls: ["watch", "watch"],
    });
    const found = await asJson();
    expect(entriesIn(found)).toEqual(["git log *", "cat a"]);
    expect(found.proposals[1]).toMatchObject({
      lists: [["exec", "allow"]],
      evidence: [{ asked: 2, allowed: 2, denied: 0, days: 1, agents: { claude: 4 } }],
    });
    expect(found.change.replayed).toEqual({
      calls: 16,
      same: 9,
      left: {},
      changes: { "ask > allow": 7 },
    });
    const after = applied(found.change.diff);
    expect(after).toBe(CAREFUL.replace("- ls # looks\n", '- ls # looks\n    - "git log *"\n    - "cat a"\n'));
    expect((await haftHere(["policy", "check", policy], { cwd: project, env })).code).toBe(0);
    // What it learned holds, and there is nothing more to say about it.
    expect(await asJson()).toMatchObject({ proposals: [], settled: 7 });
    const { stdout } = await suggest();
    expect(stdout).toContain("There are no proposals.");
  });

  it("never proposes code, network, removal, secrets, settings, other folders or Haft", async () => {
    const never = `
      node -e 1; node a.js; python3 x.py; bash x.sh; sh -c ls; npx foo; env ls x; curl localhost; git push; git fetch
      git reset --hard; git config x y; npm install; docker ps; rm a; chmod +x a; sudo ls; kill 1; cat .env; cat deploy.key
      cat /etc/hosts; cat ../x; cat .claude/settings.json; cat haft.config.yaml; haft guard status; cat $x; cat ~/x; ./own`
      .split(/[;\n]/)
      .map((command) => command.trim())
      .filter((command) => command !== "");
    await called(Object.fromEntries(never.map((command) => [command, ["watch", "watch"]])));
    const found = await asJson();
    expect(found.proposals).toEqual([]);
    expect(found.change).toBeUndefined();
    const reasons = found.leftOut
      .map(({ example, why }: Record<string, string>) => `${example}: ${why}`)
      .join("\n");
    expect(reasons).toContain("git push: ");
    expect(reasons).toContain("ask[0] asks about it, and ask rules have no exceptions");
    expect(reasons).toContain("deny[0] denies it, and proposals do not change denials");
  });

  it("ignores truncated lines, and lines with masked secrets", async () => {
    await called({ "cat ghp_0123456789abcdefghijABCDEFGHIJ012345": ["watch", "watch"] });
    await called({ [`cat ${"x".repeat(17_000)}`]: ["watch", "watch"] });
    const found = await asJson();
    expect(found.proposals).toEqual([]);
    expect(found.leftOut).toMatchObject([{ why: "a secret in it is masked, or it is too long" }]);
  });

  it("allows tools in folders with enough watched files, except calls that were denied otherwise", async () => {
    writeFileSync(policy, 'allow: [read, "write(path:docs/**)"]\ndeny: ["write(path:dist/**)"]\n');
    for (const path of [
      "src/a.ts",
      "src/b.ts",
      "src/c/d.ts",
      "test/x.ts",
      "test/x.ts",
      "dist/x",
      "dist/y",
      "dist/z",
    ])
      await called({ "": ["watch"] }, write(path));
    for (const path of [".env", ".github/x", "../out"]) await called({ "": ["watch", "watch"] }, write(path));
    const found = await asJson();
    expect(entriesIn(found)).toEqual(["write(path:src/**)", "write(path:test/x.ts)"]);
    expect(found.change.replayed.changes).toEqual({ "deny > allow": 5 });
    expect(applied(found.change.diff)).toBe(
      'allow: [read, "write(path:docs/**)", "write(path:src/**)", "write(path:test/x.ts)"]\ndeny: ["write(path:dist/**)"]\n',
    );
    expect(await asJson()).toMatchObject({ proposals: [] });
  });

  it("describes calls that rules denied", async () => {
    await called({ "rm x": ["allow", "allow"] });
    const { stdout } = await haftHere(["guard", "suggest", "--policy", join(home, "new.yaml")], {
      cwd: project,
      env,
    });
    expect(stdout).toMatch(/^ +denied by rules, on 1 day/m);
  });

  it("proposes a first file that asks about all other calls", async () => {
    await called({ "cat a": ["allow", "allow"], "curl x": ["allow", "allow"] });
    policy = join(home, "first.yaml");
    const { stdout } = await suggest();
    expect(stdout).toContain(`There is no ${policy} yet`);
    const { change } = await asJson();
    expect(change.replayed.changes).toEqual({ "allow > ask": 2 });
    expect(change.diff).toContain("--- /dev/null");
    expect(applied(change.diff)).toContain('exec:\n  preset: careful\n  allow:\n    - "cat a"\n');
  });

  it("changes rules in a configuration, in a repository, and in lists of a single agent", async () => {
    await called({ "cat a": ["allow", "allow"] });
    const text = `audit: { file: ${log} }\npolicy:\n  agents:\n    claude: { exec: { preset: careful } }`;
    const file = await configure(text);
    spawnSync("git", ["init", "-q", home]);
    const [found] = (await haftHere(["guard", "suggest", "--json"], { cwd: project, env })).lines();
    expect(found).toMatchObject({ file, change: { folder: home } });
    expect(found.proposals[0].lists).toEqual([["agents", "claude", "exec", "allow"]]);
    applied(found.change.diff);
    expect(readFileSync(file, "utf8")).toBe(text.replace("{ preset", '{ "allow": ["cat a"], preset'));
  });

  it("names the position of entries that a diff cannot add", async () => {
    await called({ "cat a": ["allow", "allow"] });
    writeFileSync(join(home, "claude.yaml"), "exec: { preset: careful }\n");
    writeFileSync(policy, "agents: { claude: claude.yaml }\n");
    expect(await asJson()).toMatchObject({
      proposals: [{ entry: "cat a" }],
      byHand: `agents.claude.exec.allow is in ${join(home, "claude.yaml")}: add the entries there.`,
    });
    writeFileSync(
      policy,
      "x: &x { preset: careful }\nexec: *x\n"
        .replace("x: &x", "agents: { a: { exec: &x")
        .replace("}\nexec", "} } }\nexec"),
    );
    expect((await asJson()).byHand).toContain("exec is not a plain map");
  });
});
