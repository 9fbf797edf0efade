import { chmod, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { haft, haftHere } from "../support/haft.ts";
import {
  claude,
  configure,
  env,
  guard,
  home,
  hook,
  hookProcess,
  makeHome,
  policy,
  project,
  readReason,
  withVariables,
} from "./guard-home.ts";

beforeEach(() => makeHome());

describe("the hook of an agent", () => {
  it("denies by a rule with its line, and answers nothing otherwise", async () => {
    const denied = await hook(claude("ls && rm -rf build"));
    expect(readReason(denied.stdout)).toContain(`${policy}:1: deny[0] = "exec(rm *)"`);
    expect(denied).toMatchObject({ code: 0, stderr: "" });
    expect(await hook(claude("ls"))).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["broken JSON", '{"tool_name":'],
    ["nothing", ""],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ["a list", "[]"],
    ["a payload without a tool", '{"hook_event_name":"PreToolUse"}'],
  ])("denies unreadable payloads by JSON and by exit code: %s", async (_what, input) => {
    const { code, stdout, stderr } = await hook(input);
    expect(code).toBe(2);
    expect(readReason(stdout)).toMatch(/^Haft denies this call, because it could not decide/);
    expect(stderr).toBe(`${readReason(stdout)}\n`);
  });

  it("never exits with 1 or without output if its own arguments are wrong", async () => {
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
    expect(readReason((await hook(write("a.txt"))).stdout)).toContain("write is denied");
  });

  it("answers several calls at once in separate processes", async () => {
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, index) => hookProcess(claude(`rm -rf build${index}`))),
    );
    for (const { stdout } of all) expect(readReason(stdout)).toMatch(/^Haft denies this call/);
  });

  it("uses the present policy", async () => {
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain("deny[0]");
    await writeFile(policy, 'deny: ["exec(mv *)"]');
    expect((await hook(claude("rm x"))).stdout).toBe("");
    expect(readReason((await hook(claude("mv x y"))).stdout)).toContain("exec(mv *)");
    const stored = await readdir(join(getStateFolder(home), "guard"));
    expect(stored.filter((name) => name.startsWith("rules-"))).toHaveLength(1);
  });

  it("ignores compiled rules that another user could have written", async () => {
    await hook(claude("ls"));
    const folder = join(getStateFolder(home), "guard");
    const [name = ""] = (await readdir(folder)).filter((each) => each.startsWith("rules-"));
    const file = join(folder, name);
    const forged = (await readFile(file, "utf8")).replace('"deny":["exec(rm *)"]', '"deny":["exec(none *)"]');
    await writeFile(file, forged);
    // As it is written by this user alone it is believed: that is what the others are told from.
    expect((await hook(claude("rm x"))).stdout).toBe("");
    await chmod(file, 0o666);
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain("deny[0]");
    await rename(file, `${file}.elsewhere`);
    await writeFile(`${file}.elsewhere`, forged);
    await rm(file, { force: true });
    await symlink(`${file}.elsewhere`, file);
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain("deny[0]");
  });

  it("denies no call in watch-only mode, even after failures", async () => {
    for (const input of [claude("rm -rf build"), "{"]) {
      const { code, stdout } = await hook(input, ["claude", "--watch-only", "--policy", policy]);
      expect([code, stdout]).toEqual([0, ""]);
    }
  });
});

describe("a call that needs a person", () => {
  const codex = (command: string) => hook(claude(command), ["codex", "--policy", policy]);
  const approvals = async (...words: string[]) => haftHere(["approvals", ...words], { cwd: project, env });

  it("waits under an id, and runs exactly once after it was allowed", async () => {
    const reason = readReason((await codex("git push origin main")).stdout);
    const id = /approval (\w+): haft approvals answer \1 allow-once/.exec(reason)?.[1] ?? "";
    // The same call asks the same question.
    expect(readReason((await codex("git push origin main")).stdout)).toContain(id);
    const listed = (await approvals()).stdout;
    expect(listed).toContain("git push origin main");
    expect(listed).toContain(
      "codex to make this exact call again, in the same conversation, after the answer.",
    );
    const answered = await approvals("answer", id, "allow-once");
    expect(answered.code).toBe(0);
    expect(answered.stdout).toContain(
      "The answer is stored for a day: the call is allowed when codex makes it again in the same conversation (codex resume --last).",
    );
    expect(readReason((await codex("git push origin other")).stdout)).not.toContain(id);
    expect(await codex("git push origin main")).toMatchObject({ code: 0, stdout: "" });
    expect(readReason((await codex("git push origin main")).stdout)).toMatch(/approval (?!.*\bundefined)/);
  });

  it("is denied after a person's no, and can be requested again", async () => {
    const reason = readReason((await codex("git push")).stdout);
    const id = /approval (\w+):/.exec(reason)?.[1] ?? "";
    expect((await approvals("answer", id, "deny")).stdout).toContain("is denied when codex makes it again");
    expect(readReason((await codex("git push")).stdout)).toContain("a person denied it");
  });

  it("runs repeatedly in its conversation after a permanent grant of the exact call", async () => {
    const id = /approval (\w+):/.exec(readReason((await codex("git push")).stdout))?.[1] ?? "";
    await approvals("answer", id, "allow-always");
    for (let times = 0; times < 2; times++) expect((await codex("git push")).stdout).toBe("");
    const other = JSON.parse(claude("git push")) as object;
    const elsewhere = await hook(JSON.stringify({ ...other, session_id: "s2" }), [
      "codex",
      "--policy",
      policy,
    ]);
    expect(readReason(elsewhere.stdout)).toContain("waits for a person");
  });

  it("is denied if it cannot be shown in full, hides no pending calls, and is shown from both ends with masked secrets", async () => {
    const waiting = /approval (\w+):/.exec(readReason((await codex("git push")).stdout))?.[1] ?? "";
    const { stdout } = await codex(`git push\n# ${"x".repeat(12 * 1024 * 1024)}`);
    expect(readReason(stdout)).toMatch(/too long to read: 125829\d\d characters, of at most 262144/);
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const long = /approval (\w+):/.exec(
      readReason((await codex(`git push https://${secret}@example.com\n# ${"x".repeat(100_000)}`)).stdout),
    );
    const listed = (await approvals()).stdout;
    expect(listed).toContain(waiting);
    expect(listed.length).toBeLessThan(20_000);
    expect(listed).toContain("characters in all; the middle is not shown");
    expect(listed).toContain("It cannot be allowed permanently: the prompt is incomplete.");
    expect(listed).not.toContain(secret);
    expect((await approvals("answer", long![1]!, "allow-always")).code).not.toBe(0);
    expect((await approvals("answer", long![1]!, "allow-once")).code).toBe(0);
  });

  it("is denied if the store fails", async () => {
    await writeFile(join(home, "file"), "");
    withVariables({ HAFT_STATE_DIR: join(home, "file/state") });
    const { code, stdout } = await codex("git push");
    expect(code).toBe(2);
    expect(readReason(stdout)).toMatch(/could not decide/);
  });
});

describe("the log", () => {
  const entries = async (file: string) =>
    (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
  const configured = async (audit: string) =>
    configure(`policy: { deny: ["exec(rm *)"] }\naudit: { file: ${audit} }\n`);

  it("contains every decision in the schema of the audit log, without secrets", async () => {
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
      guard: { agent: "claude", event: "PreToolUse", folder: project, answer: "deny" },
    });
    expect(JSON.stringify(denied)).not.toContain(key);
    expect(allowed).toMatchObject({ status: "executing", receipt: "unknown", guard: { answer: "allow" } });
    expect(readReason((await hook(claude(`echo > ${file}`), ["claude"])).stdout)).toContain(
      "no agent may do this",
    );
  });

  it("contains hypothetical decisions in watch-only mode", async () => {
    const { code, stdout } = await hook(claude("rm -rf build"), [
      "claude",
      "--watch-only",
      "--policy",
      policy,
    ]);
    expect([code, stdout]).toEqual([0, ""]);
    const [entry] = await entries(join(getStateFolder(home), "guard/watched.jsonl"));
    expect(entry).toMatchObject({ decision: { effect: "deny" }, guard: { answer: "allow", watched: true } });
  });

  it("contains allowed and denied calls for any name of the conversation", async () => {
    await configured(join(home, "log/audit.jsonl"));
    for (const command of ["ls", "rm x"])
      await hook(claude(command, { session_id: "haft-guard-probe" }), ["claude"]);
    expect((await guard("log")).stdout).toMatch(/claude allow Bash .*\n.*claude deny Bash/);
  });

  it("is written before the answer, and a failed write denies the call", async () => {
    await configured(join(home, "policy.yaml/audit.jsonl"));
    const { code, stdout } = await hook(claude("ls"), ["claude"]);
    expect(code).toBe(2);
    expect(readReason(stdout)).toContain("audit log");
    expect(await hook(claude("ls"), ["claude", "--watch-only"])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("haft guard try", () => {
  it("shows the payload, the decision and the answer, and asks nothing", async () => {
    const tried = await haft(["guard", "try", "claude", "--policy", policy, "--json"], {
      cwd: project,
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
    const tryRun = await haft(["guard", "try", "codex", "--policy", policy], {
      cwd: project,
      env,
      input: claude("git push"),
    });
    expect(tryRun.stdout).toContain("decision: ask");
    await expect(readFile(join(getStateFolder(home), "haft.db"))).rejects.toThrow(/ENOENT/);
  });

  it("reports an unreadable payload", async () => {
    const { code, stdout } = await haft(["guard", "try", "claude"], { cwd: project, env, input: "{" });
    expect(code).toBe(1);
    expect(stdout).toContain("the payload cannot be read");
    const empty = await haft(["guard", "try", "claude"], { cwd: project, env, input: "\n" });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("guard try AGENT < FILE")]);
    expect((await haft(["guard", "try", "clod"], { cwd: project, env, input: "{}" })).code).toBe(2);
  });
});

it("denies an agent's changes of the file that lists servers of a project", async () => {
  const write = claude("", {
    tool_name: "Write",
    tool_input: { file_path: join(project, ".mcp.json"), content: "{}" },
  });
  expect(readReason((await hook(write)).stdout)).toContain("settings that control agents");
});
