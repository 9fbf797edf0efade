import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { configure, env, home, installBuild, makeHome, policy, project } from "./guard-home.ts";

beforeEach(() => makeHome('ask: ["exec(git push*)"]\n'));

const word = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const lineOf = (...words: string[]) => [...haftCommand, ...words].map(word).join(" ");

/** The line that an agent's settings have. */
async function installed(agent: "claude" | "codex"): Promise<string> {
  await installBuild(agent, "--policy", policy);
  const file = join(home, agent === "claude" ? ".claude/settings.json" : ".codex/config.toml");
  const text = await readFile(file, "utf8");
  const found = /"?command"?\s*[:=]\s*("(?:[^"\\]|\\.)*guard-hook(?:[^"\\]|\\.)*")/.exec(text)![1]!;
  return JSON.parse(found) as string;
}

/**
 * An agent: a process that asks its hook, as clients do by a shell, and then runs commands, each by a shell of its own. It has no
 * terminal, like all that it starts.
 */
async function startAgent() {
  const program = `
    const { spawn } = require("node:child_process");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { shell, input, more } = JSON.parse(line);
      const child = spawn("sh", ["-c", shell], { env: { ...process.env, ...more }, stdio: "pipe" });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (text) => (stdout += text));
      child.stderr.on("data", (text) => (stderr += text));
      child.on("close", (code) => console.log(JSON.stringify({ code, stdout, stderr })));
      child.stdin.end(input);
    });`;
  const child = spawn(process.execPath, ["-e", program], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: ((line: string) => void)[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    rest += text;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
      lines.shift()!(rest.slice(0, at));
      rest = rest.slice(at + 1);
    }
  });
  const run = (shell: string, { input = "", more = {} }: { input?: string; more?: object } = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      lines.push((line) => resolve(JSON.parse(line)));
      child.stdin.write(`${JSON.stringify({ shell, input, more })}\n`);
    });
  const ask = (line: string, command: string) =>
    run(line, {
      input: JSON.stringify({ session_id: "s", cwd: project, tool_name: "Bash", tool_input: { command } }),
    });
  const end = async () => {
    child.stdin.end();
    await once(child, "close");
  };
  return { pid: child.pid!, run, ask, end };
}

/** A program that nobody above it started, without a terminal: how a script runs by a timer, and what an agent lets go. */
async function letGo(...words: string[]) {
  const [program = "", ...before] = haftCommand;
  const child = spawn(program, [...before, ...words], {
    detached: true,
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

const idIn = (text: string) => /approval (\w+):/.exec(text)?.[1] ?? "";
const clients = async () => readdir(join(getStateFolder(home), "guard/clients")).catch(() => []);

describe("below an agent with a hook", () => {
  it("no command can decide, even without variables, and nothing changes", async () => {
    const line = await installed("codex");
    const agent = await startAgent();
    const pending = await agent.ask(line, "git push");
    const id = idIn(pending.stdout);
    expect(id).not.toBe("");
    const [client, ...more] = await clients();
    expect(more).toEqual([]);
    expect(client).toMatch(new RegExp(`^${agent.pid}-`));
    const before = await readFile(join(home, ".codex/config.toml"), "utf8");
    await writeFile(join(project, "haft.config.yaml"), "model: { provider: x }\n");

    for (const words of [
      ["approvals", "answer", id, "allow-once"],
      ["approvals", "revoke", "--all"],
      ["approvals", "--watch"],
      ["guard", "uninstall"],
      ["guard", "install", "codex", "--watch-only"],
      ["config", "trust", "--yes", project],
      ["config", "untrust", "--all"],
      ["plugins", "add", "./x.ts"],
      ["mcp", "add", "x", "--", "true"],
      ["nodes", "approve", "x"],
      ["ledger", "forget", "--session", "none"],
      ["config", "init", "--yes"],
    ]) {
      // Another state folder, and nothing that marks it as an agent's.
      for (const more of [{}, { HAFT_STATE_DIR: "" }]) {
        if ("HAFT_STATE_DIR" in more && words[0] !== "guard") continue;
        const refused = await agent.run(lineOf(...words), { more });
        expect([words, refused.code, refused.stdout]).toEqual([words, 1, ""]);
        expect(refused.stderr).toContain(`a guarded agent (codex, process ${agent.pid})`);
      }
    }
    // By a shell below a shell, too, and with its output elsewhere.
    const deep = await agent.run(
      `sh -c ${word(`sh -c ${word(`${lineOf("guard", "uninstall")} 2>&1; true`)}; true`)}`,
    );
    expect(deep.stdout).toContain("INSIDE_SESSION");
    expect(await readFile(join(home, ".codex/config.toml"), "utf8")).toBe(before);
    expect(idIn((await agent.ask(line, "git push")).stdout)).toBe(id);
  });

  it("read-only commands work", async () => {
    const line = await installed("claude");
    const agent = await startAgent();
    await agent.ask(line, "git push");
    for (const words of [
      ["approvals"],
      ["approvals", "grants"],
      ["guard", "status"],
      ["config", "trusted"],
      ["mcp", "list"],
    ])
      expect([words, (await agent.run(lineOf(...words))).code]).toEqual([words, 0]);
    expect((await agent.run(lineOf("guard", "uninstall", "--dry-run"))).code).toBe(0);
  });

  it("a process with the number of an ended agent is not an agent", async () => {
    await installed("claude");
    const agent = await startAgent();
    await mkdir(join(getStateFolder(home), "guard/clients"), { recursive: true });
    await writeFile(join(getStateFolder(home), `guard/clients/${agent.pid}-1`), "codex");
    expect((await agent.run(lineOf("approvals", "revoke", "--all"))).code).toBe(0);
    expect((await agent.run(lineOf("guard", "uninstall"))).code).toBe(0);
  });

  it("an agent in watch-only mode is not restricted", async () => {
    const line = (await installed("codex")).replace("codex PreToolUse", "codex PreToolUse --watch-only");
    const agent = await startAgent();
    await agent.ask(line, "git push");
    expect(await clients()).toEqual([]);
  });
});

describe("without a terminal", () => {
  it("a question of a running agent is not answered unless the operator allows it; others are", async () => {
    const line = await installed("codex");
    const agent = await startAgent();
    const id = idIn((await agent.ask(line, "git push")).stdout);
    const refused = await letGo("approvals", "answer", id, "allow-once");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/withoutTerminal[^]*GUARD_NO_TERMINAL/);
    for (const words of [
      ["guard", "uninstall"],
      ["guard", "install", "codex"],
      ["guard", "forget", policy],
      ["config", "trust", "--yes"],
    ]) {
      const { code, stderr } = await letGo(...words);
      expect([words, code]).toEqual([words, 1]);
      expect(stderr).toContain("GUARD_NO_TERMINAL");
    }
    // What scripts did before there was a guard, they do.
    expect((await letGo("approvals", "revoke", "--all")).code).toBe(0);
    expect((await letGo("approvals", "answer", "nosuchid", "deny")).stderr).toContain("APPROVAL_NOT_FOUND");

    await configure("approvals: { withoutTerminal: true }\n");
    expect((await letGo("approvals", "answer", id, "allow-once")).code).toBe(0);
    expect(await agent.ask(line, "git push")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("commands work again after the end of the agent", async () => {
    const line = await installed("codex");
    const agent = await startAgent();
    const id = idIn((await agent.ask(line, "git push")).stdout);
    await agent.end();
    expect((await letGo("approvals", "answer", id, "deny")).code).toBe(0);
    expect((await letGo("guard", "uninstall")).code).toBe(0);
  });
});

it("records of ended agents are removed by the next agent", async () => {
  const line = await installed("codex");
  for (let times = 0; times < 2; times++) {
    const agent = await startAgent();
    await agent.ask(line, "ls");
    expect(await clients()).toHaveLength(1);
    await agent.end();
  }
});

it("processes are found by ps as by /proc", async () => {
  const source: string = join(import.meta.dirname, "../../../guard/src/clients/find-process-with-ps.ts");
  const { findProcessWithPs } = (await import(source)) as { findProcessWithPs: (pid: number) => unknown };
  expect(findProcessWithPs(process.pid)).toMatchObject({
    pid: process.pid,
    parent: process.ppid,
    zombie: false,
  });
  expect(findProcessWithPs(process.pid)).toEqual(findProcessWithPs(process.pid));
  const endedPid = spawnSync("true").pid;
  expect(findProcessWithPs(endedPid)).toBeUndefined();
});
