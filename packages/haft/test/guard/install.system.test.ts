import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haft, type Line } from "../support/haft.ts";
import { configure, env, home, makeHome, policy, project, trustInCodex } from "./guard-home.ts";
import { readClaudeLine, writeSettings, runLine, settings } from "./installed-settings.ts";

const AGENTS = ["claude", "codex", "gemini", "copilot", "cursor", "opencode", "pi", "openclaw"];

beforeEach(() => makeHome('deny: ["exec(rm *)"]\n'));

/** By a process of its own, which installs the program of the build. */
const guard = (...words: string[]) => haft(["guard", ...words], { cwd: project, env });

describe("haft guard install", () => {
  it("works in all agents, proves it, and keeps other settings byte for byte", async () => {
    const log = join(home, "audit.jsonl");
    await configure(`audit: { file: ${log} }\n`);
    const was: Record<string, string> = {
      claude: '{\n  // mine\n  "model": "x", "hooks": {"PreToolUse": [ {"hooks": []}, ]}\n}',
      codex: 'model = "x"\r\n[[hooks.Stop]]\r\nmatcher = "y"',
      gemini: '{"hooks":{"AfterTool":[]}}\n',
    };
    for (const [agent, text] of Object.entries(was)) await writeSettings(agent, text);
    const installed = await guard("install", ...AGENTS, "--policy", policy);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain("/hooks");
    const texts = AGENTS.map((agent) => readFileSync(settings(agent), "utf8"));

    const again = await guard("install", ...AGENTS, "--policy", policy);
    expect(again.stdout.match(/already installed/g)).toHaveLength(AGENTS.length);
    expect(AGENTS.map((agent) => readFileSync(settings(agent), "utf8"))).toEqual(texts);

    const enabled = { plugins: { entries: { "haft-guard": { enabled: true } } } };
    writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify(enabled));
    await trustInCodex(settings("codex"));
    const status = await guard("status", "--probe", "--json");
    expect(status.code).toBe(0);
    const { agents } = JSON.parse(status.stdout);
    for (const agent of agents)
      expect(agent).toMatchObject({
        state: "guarded",
        problems: [],
        policyFile: policy,
        probed: { denies: true, answers: true, deniesWithout: true },
        untried: agent.agent === "cursor",
      });
    expect((await guard("status")).stdout).toContain("not tested with the real client");

    // What only tries what is installed is marked, and left out of what agents did.
    const probed = (await readFile(log, "utf8"))
      .trim()
      .split("\n")
      .map((entry): Line => JSON.parse(entry));
    expect(new Set(probed.map((entry) => entry.guard.agent))).toEqual(new Set(AGENTS));
    for (const entry of probed) expect(entry.guard).toMatchObject({ probe: true });
    expect(await guard("log")).toMatchObject({ code: 0, stdout: "" });
    const suggested = await guard("suggest");
    expect(`${suggested.stdout}${suggested.stderr}`).toContain("no calls of agents");

    expect(runLine(readClaudeLine(), "rm x")).toMatchObject({ stdout: expect.stringContaining('"deny"') });
    expect(runLine(readClaudeLine(), "ls")).toEqual({ status: 0, stdout: "", stderr: "" });

    const guardFolder = join(env["HAFT_STATE_DIR"]!, "guard");
    const keeps = () => readdirSync(guardFolder).some((name) => name.startsWith("rules-"));
    expect(keeps()).toBe(true);
    expect(await guard("uninstall", "claude")).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(settings("codex"), texts[AGENTS.indexOf("codex")]!);
    // The others go on.
    expect(keeps()).toBe(true);
    expect(await guard("uninstall")).toMatchObject({ code: 0, stderr: "" });
    expect(keeps()).toBe(false);
    for (const [agent, text] of Object.entries(was)) expect(readFileSync(settings(agent), "utf8")).toBe(text);
    for (const agent of ["copilot", "cursor", "opencode", "pi", "openclaw"])
      expect(lstatSync(settings(agent), { throwIfNoEntry: false })).toBeUndefined();
    expect((await guard("uninstall")).stdout).toBe("The guard is not installed.\n");
    const after = await guard("status", "--probe");
    expect(after).toMatchObject({ code: 0, stderr: "" });
    expect(after.stdout.match(/: not installed/g)).toHaveLength(8);
  });
});

describe("an installed hook", () => {
  it("a probe distinguishes a working guard from a crashed guard", async () => {
    await guard("install", "claude", "--policy", policy);
    const file = join(home, ".claude/settings.json");
    const text = readFileSync(file, "utf8");
    expect((await guard("status", "--probe")).stdout).toContain(
      "probe: a forbidden call was denied by the guard, a harmless call was answered; with a guard that crashes, prints nothing, or is missing, a forbidden call was denied",
    );
    for (const [program, why] of [
      ["kill -s SEGV $$", "The guard does not decide"],
      ["exit 0", "The guard does not decide"],
      [`printf 'haft:{"hookSpecificOutput":{"permissionDecision":"deny"}}'`, "The guard does not decide"],
      ["printf haft:", "A forbidden call would run"],
    ] as const) {
      const node = join(home, "node");
      writeFileSync(node, `#!/bin/sh\n${program}\n`);
      chmodSync(node, 0o755);
      writeFileSync(file, text.replaceAll(process.execPath, node));
      const { code, stdout } = await guard("status", "--probe");
      expect([program, code, stdout.includes("was denied by the guard")]).toEqual([program, 1, false]);
      expect(stdout).toContain("claude: DOES NOT WORK as it should");
      expect(stdout).toContain(why);
    }
  });

  it("only watches with --watch-only, and logs hypothetical decisions", async () => {
    await guard("install", "claude", "--policy", policy, "--watch-only");
    const line = readClaudeLine();
    expect(runLine(line, "rm x")).toMatchObject({ status: 0, stdout: "" });
    expect(runLine(line, "ls", { NODE_OPTIONS: "--require=/nowhere/x.cjs" }).status).toBe(0);
    expect((await guard("status")).stdout).toContain("claude: watched");
    const { stdout } = await guard("log");
    expect(stdout).toContain("claude allow (would be: deny) Bash");
    expect(stdout).toContain('deny[0] = "exec(rm *)"');
    const { stdout: json } = await guard("log", "--json");
    expect(JSON.parse(json.split("\n")[0]!)).toMatchObject({
      toolName: "Bash",
      guard: { agent: "claude", watched: true },
    });
  });

  it("blocks calls if its program is missing, crashes or hangs, and says so", async () => {
    await guard("install", "claude", "--policy", policy);
    const line = readClaudeLine();
    const [program = ""] = /\S+guard-hook\.c?[jt]s/.exec(line)!;
    const missing = line.replace(program, "/nowhere/guard-hook.js");
    const neverEnds = join(home, "guard-hook.js");
    await writeFile(neverEnds, "setInterval(() => {}, 1000); for (;;);\n");
    const never = line.replace(program, neverEnds).replace("-k 1 9", "-k 1 1");
    const crashes = join(home, "crashes-guard-hook.js");
    await writeFile(crashes, "process.kill(process.pid, 'SIGSEGV');\n");
    for (const one of [missing, never, line.replace(program, crashes)]) {
      const { status, stderr } = runLine(one, "ls");
      expect(status).toBe(2);
      expect(stderr).toContain("To get out, a person runs: haft guard install");
    }
    // It takes no code from variables, so this changes nothing.
    const hostile = { NODE_OPTIONS: "--require=/nowhere/x.cjs" };
    expect(runLine(line, "ls", hostile)).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(runLine(line, "rm x", hostile).stdout).toContain('"deny"');
    await writeFile(
      settings("claude"),
      (await readFile(settings("claude"), "utf8")).replace(program, "/nowhere/guard-hook.js"),
    );
    const { code, stdout } = await guard("status");
    expect(code).toBe(1);
    expect(stdout).toContain("/nowhere/guard-hook.js does not exist. Run haft guard install again.");
  });

  it("is run to find a command that fails open", async () => {
    await guard("install", "claude", "--policy", policy);
    const text = await readFile(settings("claude"), "utf8");
    await writeFile(settings("claude"), text.replace(/ \|\| \{.*?\}"/, ' || true"'));
    const { code, stdout } = await guard("status", "--probe");
    expect(code).toBe(1);
    expect(stdout).toContain("It fails open");
  });
});
