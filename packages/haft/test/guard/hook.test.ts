import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haft, haftHere, haftOfClient, stateFolderOf, temporaryFolder } from "../support/haft.ts";

let home = "";
let folder = "";
let policy = "";
let env: Record<string, string> = {};

beforeEach(async () => {
  home = await temporaryFolder();
  folder = join(home, "shop");
  policy = join(home, "policy.yaml");
  await mkdir(folder);
  await mkdir(join(folder, ".git"));
  await writeFile(policy, 'deny: ["exec(rm *)"]\nask: ["exec(git push*)"]\n');
  env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    HAFT_STATE_DIR: stateFolderOf(home),
    HAFT_ADMIN_POLICY: "",
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    CLAUDE_PROJECT_DIR: "",
    CLAUDE_CODE_SESSION_ATTENDED: "",
  };
});

const claude = (command: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s1",
    cwd: folder,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  });
const reading = (path: string) => claude("", { tool_name: "Read", tool_input: { file_path: path } });

const hook = (input: string | Uint8Array, words: readonly string[] = ["claude", "--policy", policy]) =>
  haftOfClient(["guard", "hook", ...words], { cwd: folder, input, env });

/** What Claude reads; empty for no opinion. */
function reasonIn(stdout: string): string {
  if (stdout === "") return "";
  const said = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  expect(said.hookSpecificOutput["permissionDecision"]).toBe("deny");
  return said.hookSpecificOutput["permissionDecisionReason"]!;
}

describe("the hook of an agent", () => {
  it("denies what a rule denies, with its line, and has no opinion on the rest", async () => {
    const denied = await hook(claude("ls && rm -rf build"));
    expect(reasonIn(denied.stdout)).toContain(`${policy}:1: deny[0] = "exec(rm *)"`);
    expect(denied).toMatchObject({ code: 0, stderr: "" });
    expect(await hook(claude("ls"))).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["broken JSON", '{"tool_name":'],
    ["nothing", ""],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ["a list", "[]"],
    ["a payload without a tool", '{"hook_event_name":"PreToolUse"}'],
  ])("denies by JSON and by exit code what it cannot read: %s", async (_what, input) => {
    const { code, stdout, stderr } = await hook(input);
    expect(code).toBe(2);
    expect(reasonIn(stdout)).toMatch(/^Haft denies this call, since it could not decide/);
    expect(stderr).toBe(`${reasonIn(stdout)}\n`);
  });

  it("never ends with 1, and never silently, where its own line is wrong", async () => {
    for (const words of [
      [],
      ["claud"],
      ["claude", "--nonsense"],
      ["claude", "--policy", "relative.yaml"],
      ["claude", "a", "b"],
    ]) {
      const { code, stdout, stderr } = await hook(claude("ls"), words);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^Haft denies this call/);
    }
  });

  it("decides about 10 MB", async () => {
    const content = "x".repeat(10 * 1024 * 1024);
    const write = (path: string) =>
      claude("", { tool_name: "Write", tool_input: { file_path: path, content } });
    expect((await hook(write("a.txt"))).stdout).toBe("");
    await writeFile(policy, 'deny: ["write(path:a.txt)"]');
    expect(reasonIn((await hook(write("a.txt"))).stdout)).toContain("write is denied");
  });

  it("answers sixteen at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, index) => hook(claude(`rm -rf build${index}`))),
    );
    for (const { stdout } of all) expect(reasonIn(stdout)).toMatch(/^Haft denies this call/);
  });

  it("takes a policy as it is now", async () => {
    expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain("deny[0]");
    await writeFile(policy, 'deny: ["exec(mv *)"]');
    expect((await hook(claude("rm x"))).stdout).toBe("");
    expect(reasonIn((await hook(claude("mv x y"))).stdout)).toContain("exec(mv *)");
    const kept = await readdir(join(stateFolderOf(home), "guard"));
    expect(kept.filter((name) => name.startsWith("rules-"))).toHaveLength(1);
  });

  it("only watches where it is to, whatever happens", async () => {
    for (const input of [claude("rm -rf build"), "{"]) {
      const { code, stdout } = await hook(input, ["claude", "--watch-only", "--policy", policy]);
      expect([code, stdout]).toEqual([0, ""]);
    }
  });
});

describe("a policy that cannot be used", () => {
  it.each([
    ["is broken", async () => writeFile(policy, "deny: [")],
    ["means nothing", async () => writeFile(policy, "denny: []")],
    ["is gone", async () => rm(policy)],
    ["is a folder", async () => rm(policy).then(async () => mkdir(policy))],
    [
      "is a pipe",
      async () => {
        await rm(policy);
        expect(spawnSync("mkfifo", [policy]).status).toBe(0);
      },
    ],
  ])("denies all but looking at it, when it %s", async (_what, change) => {
    expect((await hook(claude("ls"))).stdout).toBe("");
    await change();
    const { code, stdout, stderr } = await hook(claude("ls"));
    expect(code).toBe(2);
    expect(reasonIn(stdout)).toMatch(
      /^Haft denies every call: .*policy\.yaml.*To get out, a person runs: haft guard uninstall$/,
    );
    expect(stderr).toBe(`${reasonIn(stdout)}\n`);
    for (const input of [reading(policy), claude("haft guard status"), claude(`cat '${policy}'`)])
      expect(await hook(input)).toMatchObject({ code: 0, stdout: "" });
    for (const command of [
      `haft guard status; cat ${policy}`,
      "./haft guard status",
      `cat ${policy} ${home}/x`,
    ])
      expect([command, (await hook(claude(command))).code]).toEqual([command, 2]);
    expect((await hook(reading(join(folder, "other")))).code).toBe(2);
  });

  it("is the operator's configuration, too", async () => {
    const own = join(home, "config/haft/haft.config.yaml");
    await mkdir(join(home, "config/haft"), { recursive: true });
    await writeFile(own, 'policy: { deny: ["exec(rm *)"] }\n');
    expect(reasonIn((await hook(claude("rm x"), ["claude"])).stdout)).toContain("haft.config.yaml");
    await writeFile(own, "policy: { denny: [] }\n");
    expect((await hook(claude("ls"), ["claude"])).code).toBe(2);
    expect((await hook(reading(own), ["claude"])).code).toBe(0);
  });

  it("is one that was in force and is gone, until a person says that this is meant", async () => {
    const own = join(home, "config/haft/haft.config.yaml");
    await mkdir(join(home, "config/haft"), { recursive: true });
    await writeFile(own, 'policy: { deny: ["exec(rm *)"] }\n');
    expect(reasonIn((await hook(claude("rm x"), ["claude"])).stdout)).toContain("haft.config.yaml");
    await rm(own);
    for (let times = 0; times < 2; times++) {
      const { code, stdout } = await hook(claude("ls"), ["claude"]);
      expect(code).toBe(2);
      expect(reasonIn(stdout)).toContain(`${own} was in force and is gone`);
      expect(reasonIn(stdout)).toMatch(/To get out, a person runs: haft guard forget \S+haft\.config\.yaml$/);
    }
    expect((await hook(claude("haft guard status"), ["claude"])).code).toBe(0);
    const forgotten = await haftHere(["guard", "forget", own, join(home, "other.yaml")], {
      cwd: folder,
      env,
    });
    expect(forgotten.code).toBe(1);
    expect(forgotten.stdout).toContain("it was in force nowhere");
    expect(await hook(claude("rm x"), ["claude"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    // Under another of its names it is there.
    await writeFile(own, 'policy: { deny: ["exec(rm *)"] }\n');
    await hook(claude("ls"), ["claude"]);
    await rename(own, own.replace(".yaml", ".json"));
    await writeFile(own.replace(".yaml", ".json"), '{ "policy": { "deny": ["exec(mv *)"] } }');
    expect(reasonIn((await hook(claude("mv x y"), ["claude"])).stdout)).toContain("haft.config.json");
  });

  it("of a workspace leaves the others in force, and is named", async () => {
    const file = join(folder, "haft.config.yaml");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(reasonIn((await hook(claude("mv x y"))).stdout)).toContain("haft.config.yaml");
    expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
    await writeFile(file, "policy: { denny: [");
    const moved = await hook(claude("mv x y"));
    expect([moved.code, moved.stdout]).toEqual([0, ""]);
    expect(moved.stderr).toContain(`${file} is not in force, and the other rules are`);
    expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain(`${file} is not in force`);
  });

  it("of a workspace that was in force and is gone is named in every answer of its folder", async () => {
    const file = join(folder, "haft.config.yaml");
    expect((await hook(claude("ls"))).stderr).toBe("");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(reasonIn((await hook(claude("mv x y"))).stdout)).toContain("haft.config.yaml");
    await rm(file);
    const note = `${file} was in force here and is gone; the other rules hold.`;
    for (let times = 0; times < 2; times++) {
      const { code, stdout, stderr } = await hook(claude("mv x y"));
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toContain(note);
      expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain(note);
    }
    const elsewhere = JSON.parse(claude("ls")) as object;
    expect((await hook(JSON.stringify({ ...elsewhere, cwd: home }), ["claude"])).stdout).toBe("");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(reasonIn((await hook(claude("mv x y"))).stdout)).not.toContain("is gone");
    await rm(file);
    await hook(claude("ls"));
    expect((await haftHere(["guard", "forget", file], { cwd: folder, env })).code).toBe(0);
    expect((await hook(claude("ls"))).stderr).toBe("");
  });

  it.each([
    ["a pipe", async (file: string) => void spawnSync("mkfifo", [file])],
    [
      "a link to a pipe",
      async (file: string) => {
        spawnSync("mkfifo", [join(home, "pipe")]);
        await symlink(join(home, "pipe"), file);
      },
    ],
    ["a link to what never ends", async (file: string) => symlink("/dev/zero", file)],
    ["a link to nothing", async (file: string) => symlink(join(home, "nothing"), file)],
    ["too large", async (file: string) => writeFile(file, `# ${"x".repeat(2_000_000)}`)],
  ])("of a workspace holds nobody up where it is %s", async (_what, make) => {
    const file = join(folder, "haft.config.yaml");
    await make(file);
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await hook(claude("ls"));
      expect(code).toBe(0);
      expect(stderr).toContain(`${file} is not in force`);
      expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
    }
  });

  it("of a workspace opens nothing, whatever it says", async () => {
    await writeFile(join(folder, "haft.config.yaml"), 'policy: { mode: "off", allow: ["*"] }\n');
    expect(reasonIn((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
  });

  it("of the administrator holds before all others", async () => {
    const machine = join(home, "machine.yaml");
    await writeFile(machine, 'deny: ["effect:network"]\n');
    env = { ...env, HAFT_ADMIN_POLICY: machine };
    const fetched = claude("", {
      tool_name: "WebFetch",
      tool_input: { url: "https://example.com", prompt: "x" },
    });
    expect(reasonIn((await hook(fetched)).stdout)).toContain("machine.yaml");
    await rm(machine);
    expect((await hook(claude("ls"))).code).toBe(2);
  });
});

describe("a call that a person has to decide about", () => {
  const codex = (command: string) => hook(claude(command), ["codex", "--policy", policy]);
  const approvals = async (...words: string[]) => haftHere(["approvals", ...words], { cwd: folder, env });

  it("waits by an id, and runs once it was allowed, once", async () => {
    const reason = reasonIn((await codex("git push origin main")).stdout);
    const id = /approval (\w+): haft approvals answer \1 allow-once/.exec(reason)?.[1] ?? "";
    // The same call asks the same question.
    expect(reasonIn((await codex("git push origin main")).stdout)).toContain(id);
    expect((await approvals()).stdout).toContain("git push origin main");
    expect((await approvals("answer", id, "allow-once")).code).toBe(0);
    expect(reasonIn((await codex("git push origin other")).stdout)).not.toContain(id);
    expect(await codex("git push origin main")).toMatchObject({ code: 0, stdout: "" });
    expect(reasonIn((await codex("git push origin main")).stdout)).toMatch(/approval (?!.*\bundefined)/);
  });

  it("does not run when a person said no, and may be asked about again", async () => {
    const reason = reasonIn((await codex("git push")).stdout);
    const id = /approval (\w+):/.exec(reason)?.[1] ?? "";
    await approvals("answer", id, "deny");
    expect(reasonIn((await codex("git push")).stdout)).toContain("said no");
  });

  it("runs again and again when this very call was allowed for good, in its conversation", async () => {
    const id = /approval (\w+):/.exec(reasonIn((await codex("git push")).stdout))?.[1] ?? "";
    await approvals("answer", id, "allow-always");
    for (let times = 0; times < 2; times++) expect((await codex("git push")).stdout).toBe("");
    const other = JSON.parse(claude("git push")) as object;
    const elsewhere = await hook(JSON.stringify({ ...other, session_id: "s2" }), [
      "codex",
      "--policy",
      policy,
    ]);
    expect(reasonIn(elsewhere.stdout)).toContain("waits for a person");
  });

  it("is denied where nothing can be kept", async () => {
    await writeFile(join(home, "file"), "");
    env = { ...env, HAFT_STATE_DIR: join(home, "file/state") };
    const { code, stdout } = await codex("git push");
    expect(code).toBe(2);
    expect(reasonIn(stdout)).toMatch(/could not decide/);
  });
});

describe("what is written down", () => {
  const entries = async (file: string) =>
    (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
  const configured = async (audit: string) => {
    await mkdir(join(home, "config/haft"), { recursive: true });
    await writeFile(
      join(home, "config/haft/haft.config.yaml"),
      `policy: { deny: ["exec(rm *)"] }\naudit: { file: ${audit} }\n`,
    );
  };

  it("is every decision, in the schema of the audit log, without secrets", async () => {
    const file = join(home, "log/audit.jsonl");
    await configured(file);
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    await hook(claude(`rm ${key}`), ["claude"]);
    await hook(claude("ls"), ["claude"]);
    const [denied, allowed] = await entries(file);
    expect(denied).toMatchObject({
      audit: 1,
      sessionKey: "claude:s1",
      toolName: "Bash",
      status: "failed",
      outcome: "blocked",
      receipt: "none",
      session: { agentId: "claude" },
      decision: { effect: "deny", layer: "deny", rule: 'deny "exec(rm *)"' },
      guard: { agent: "claude", event: "PreToolUse", folder, answer: "deny" },
    });
    expect(JSON.stringify(denied)).not.toContain(key);
    expect(allowed).toMatchObject({ status: "executing", receipt: "unknown", guard: { answer: "allow" } });
    expect(reasonIn((await hook(claude(`echo > ${file}`), ["claude"])).stdout)).toContain(
      "no agent does that",
    );
  });

  it("is what would have been decided, where a hook only watches", async () => {
    const { code, stdout } = await hook(claude("rm -rf build"), [
      "claude",
      "--watch-only",
      "--policy",
      policy,
    ]);
    expect([code, stdout]).toEqual([0, ""]);
    const [entry] = await entries(join(stateFolderOf(home), "guard/watched.jsonl"));
    expect(entry).toMatchObject({ decision: { effect: "deny" }, guard: { answer: "allow", watched: true } });
  });

  it("comes before the answer: what cannot be written down is denied", async () => {
    await configured(join(home, "policy.yaml/audit.jsonl"));
    const { code, stdout } = await hook(claude("ls"), ["claude"]);
    expect(code).toBe(2);
    expect(reasonIn(stdout)).toContain("audit log");
    expect(await hook(claude("ls"), ["claude", "--watch-only"])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("haft guard try", () => {
  it("shows what was read, decided and would be answered, and asks nobody", async () => {
    const tried = await haft(["guard", "try", "claude", "--policy", policy, "--json"], {
      cwd: folder,
      env,
      input: claude("git push && rm x"),
    });
    expect(tried.code).toBe(0);
    const { stdout } = await hook(claude("git push && rm x"));
    expect(JSON.parse(tried.stdout)).toMatchObject({
      agent: "claude",
      effect: "deny",
      calls: [
        { tool: "commands/exec", effect: "deny", fix: expect.stringContaining("exec(rm *)") as string },
      ],
      answer: { stdout, stderr: "", exitCode: 0 },
    });
    const asked = await haft(["guard", "try", "codex", "--policy", policy], {
      cwd: folder,
      env,
      input: claude("git push"),
    });
    expect(asked.stdout).toContain("decision: ask");
    await expect(readFile(join(stateFolderOf(home), "haft.db"))).rejects.toThrow(/ENOENT/);
  });

  it("says what it cannot read", async () => {
    const { code, stdout } = await haft(["guard", "try", "claude"], { cwd: folder, env, input: "{" });
    expect(code).toBe(1);
    expect(stdout).toContain("the payload cannot be read");
    expect((await haft(["guard", "try", "clod"], { cwd: folder, env, input: "{}" })).code).toBe(2);
  });
});
