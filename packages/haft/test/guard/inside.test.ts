import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { haft, type Line, stateFolderOf } from "../support/haft.ts";
import { configure, env, home, makeHome, policy, project } from "./guard-home.ts";

let file = "";

beforeEach(async () => {
  await makeHome();
  file = join(home, ".config/opencode/plugins/haft-guard.js");
});

const guard = (...words: string[]) => haft(["guard", ...words], { cwd: project, env });
const install = async (...words: string[]) =>
  expect(await guard("install", "opencode", ...words)).toMatchObject({ code: 0, stderr: "" });

/** Another module than the one that is installed, beside it. */
function changed(name: string, change: (text: string) => string): string {
  const other = join(home, `${name}.mjs`);
  writeFileSync(other, change(readFileSync(file, "utf8")));
  return other;
}

/** The Node that the module would start is none: what decides then decides inside. */
const withoutProcess = (text: string) =>
  text.replace(/^const PROGRAM = .*$/m, 'const PROGRAM = "/nowhere/node";');
const withProgram = (program: string) => (text: string) =>
  withoutProcess(text)
    .replace(/[^"]+guard-hook\.c?[jt]s/, program)
    .replace("9000", "700");

/** A process that has the module in it, as an agent has, and does this: `call` says why a command is blocked, or that it is not. */
function agent(
  scenario: string,
  { module = file, more = {} }: { module?: string; more?: object } = {},
): Line {
  const program = `
    import * as own from ${JSON.stringify(module)};
    import { readdirSync, writeFileSync, rmSync, utimesSync } from "node:fs";
    import { spawnSync } from "node:child_process";
    const [make] = Object.values(own);
    const hooks = await make({ directory: ${JSON.stringify(project)} });
    const call = (command) => hooks["tool.execute.before"]({ tool: "bash", sessionID: "s" }, { args: { command } })
      .then(() => "runs", (error) => error.message);
    const say = (value) => console.log(JSON.stringify(value));
    ${scenario}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: project,
    env: { ...process.env, ...env, ...more },
    encoding: "utf8",
    // It has to end by itself, although its thread waits for the next call.
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

const WAY_OUT = /^Haft denies this call, since its guard [^]*a person runs: haft guard install opencode/;

describe("a guard inside its agent", () => {
  it.each([
    ["is gone", undefined, /cannot be started/],
    ["ends at once", "process.exit(0);\n", /ended with 0/],
    [
      "ends when it is asked",
      "require('node:worker_threads').parentPort.on('message', () => process.exit(7));\n",
      /ended with 7/,
    ],
    ["crashes", "throw new Error('oh no');\n", /crashed \(oh no\)/],
    ["never answers", "setInterval(() => {}, 1000);\n", /did not end/],
    ["never ends, and hears nothing", "for (;;);\n", /did not end/],
    [
      "says nothing that can be read",
      "require('node:worker_threads').parentPort.on('message', ({ id }) => require('node:worker_threads').parentPort.postMessage({ id, answer: { stdout: 'null', exitCode: 0 } }));\n",
      /no answer/,
    ],
    [
      "fails, and says that it is fine",
      "require('node:worker_threads').parentPort.on('message', ({ id }) => require('node:worker_threads').parentPort.postMessage({ id, answer: { stdout: '{}', exitCode: 2 } }));\n",
      /no answer/,
    ],
  ])("blocks all calls where it %s, and tells the way out", async (name, program, why) => {
    await install("--policy", policy);
    const broken = join(home, "guard-hook.js");
    if (program !== undefined) writeFileSync(broken, program);
    const module = changed("broken", withProgram(broken));
    const said = agent("say([...(await Promise.all([call('ls'), call('pwd')])), await call('ls')]);", {
      module,
    });
    for (const text of said) {
      expect(text).toMatch(WAY_OUT);
      expect(text).toMatch(why);
    }
    expect([name, said.length]).toEqual([name, 3]);
  });

  it("tells the model, and not the terminal, why its thread cannot begin", async () => {
    await install("--policy", policy);
    const module = changed("wrong", (text) =>
      withoutProcess(text).replace(JSON.stringify(policy), '"relative.yaml"'),
    );
    const said = agent("say(await call('ls'));", { module });
    expect(said).toMatch(WAY_OUT);
    expect(said).toMatch(/crashed \(--policy of a hook is an absolute path, and "relative.yaml" is none\)/);
  });

  it("decides without a process, and again after it was gone, changed, or did not end", async () => {
    await install("--policy", policy);
    const program = /[^"]+guard-hook\.c?[jt]s/.exec(readFileSync(file, "utf8"))![0];
    const own = join(home, "guard-hook.mjs");
    // What the real one decides, but for one command.
    const text = `
      import { parentPort } from "node:worker_threads";
      if (parentPort !== null) parentPort.on("message", ({ text }) => { if (text.includes("loop")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });
      await import(${JSON.stringify(program)});`;
    writeFileSync(own, text);
    const module = changed("watched", (all) =>
      withProgram(own)(all).replace("700", "5000").replaceAll("c?[jt]s", "m?js"),
    );
    const said = agent(
      `const place = ${JSON.stringify(own)}, text = ${JSON.stringify(text)};
      const said = [await call("rm x"), await call("ls")];
      said.push(...(await Promise.all([call("loop"), call("ls")])), await call("rm x"));
      writeFileSync(place, text + "\\n");
      said.push(await call("ls"), await call("ls"), await call("rm x"));
      rmSync(place);
      said.push(await call("ls"), await call("ls"));
      writeFileSync(place, text);
      said.push(await call("rm x"));
      say(said);`,
      { module },
    );
    const denied = expect.stringContaining('deny[0] = "exec(rm *)"');
    const blocked = expect.stringMatching(WAY_OUT);
    expect(said.slice(0, 2)).toEqual([denied, "runs"]);
    // The other one was decided before, or went down with it.
    expect(said[2]).toEqual(expect.stringContaining("did not end"));
    expect(said.slice(4, 8)).toEqual([
      denied,
      expect.stringContaining("was changed while it ran"),
      "runs",
      denied,
    ]);
    expect(said.slice(8)).toEqual([blocked, blocked, denied]);
  });

  it("answers sixteen calls at once, each with its own answer, and writes each down once", async () => {
    const rules = Array.from({ length: 16 }, (_, at) => `"exec(tool${at} *)"`);
    writeFileSync(policy, `deny: [${rules.join(", ")}]\nask: ["exec(git push*)"]\n`);
    await configure(`audit: { file: ${JSON.stringify(join(home, "audit.jsonl"))} }\n`);
    await install("--policy", policy);
    const module = changed("inside", withoutProcess);
    const said = agent(
      `const all = (words) => Promise.all(Array.from({ length: 16 }, (_, at) => call(words(at))));
      say([await all((at) => "tool" + at + " x"), await all((at) => at % 2 ? "ls" : "tool" + at + " x"), await all((at) => "git push o" + at)]);`,
      { module },
    );
    const [every, some, asked] = said as [string[], string[], string[]];
    for (const [at, text] of every.entries()) expect(text).toContain(`deny[${at}] = `);
    for (const [at, text] of some.entries())
      if (at % 2 === 1) expect(text).toBe("runs");
      else expect(text).toContain(`deny[${at}] = `);
    const ids = asked.map((text) => /approvals answer (\w+)/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(16);
    expect(readFileSync(join(home, "audit.jsonl"), "utf8").trim().split("\n")).toHaveLength(48);
    expect((await haft(["approvals", "answer", ids[3]!, "allow-once"], { cwd: project, env })).code).toBe(0);
    const again = agent(
      "say([await call('git push o3'), await call('git push o3'), await call('git push o4')]);",
      { module },
    );
    expect(again).toEqual([
      "runs",
      expect.stringContaining("approvals answer"),
      expect.stringContaining(ids[4]!),
    ]);
  });

  it("piles up no more questions than a person can answer", async () => {
    await install("--policy", policy);
    const module = changed("inside", withoutProcess);
    const said = agent(
      `const said = [];
      for (let at = 0; at < 65; at++) said.push(await call("git push o" + at));
      say([said[63], said[64], await call("git push o0")]);`,
      { module },
    );
    expect(said).toEqual([
      expect.stringContaining("approvals answer"),
      expect.stringMatching(/64 calls of this conversation wait for a person already/),
      expect.stringContaining("approvals answer"),
    ]);
    const { stdout } = await haft(["approvals", "--json"], { cwd: project, env });
    expect(JSON.parse(stdout).requests).toHaveLength(64);
  });

  it("sees the rules that there are when it is asked, and no others that variables name", async () => {
    const other = join(home, "other.yaml");
    writeFileSync(other, 'deny: ["exec(ls*)"]\n');
    await install("--policy", policy);
    const module = changed("inside", withoutProcess);
    const said = agent(
      `const said = [await call("ls"), await call("rm x")];
      process.env.HAFT_POLICY = ${JSON.stringify(other)};
      said.push(await call("ls"), await call("rm x"));
      writeFileSync(${JSON.stringify(policy)}, 'deny: ["exec(ls *)"]');
      said.push(await call("ls -l"), await call("rm x"));
      writeFileSync(${JSON.stringify(policy)}, "deny: 7");
      said.push(await call("ls"));
      say(said);`,
      { module },
    );
    const rule = (text: string) => expect.stringContaining(text);
    expect(said).toEqual([
      "runs",
      rule("exec(rm *)"),
      "runs",
      rule("exec(rm *)"),
      rule("exec(ls *)"),
      "runs",
      rule("haft guard status"),
    ]);
  });

  it("is known by its own process: what decides about it refuses below it, and status says how it is asked", async () => {
    await install("--policy", policy);
    const haftProgram = JSON.stringify(haftCommand);
    const { said, pid, below, status } = agent(
      `const said = await call("ls");
      const [node, ...words] = ${haftProgram};
      const run = (...more) => {
        const { stdout, stderr } = spawnSync(node, [...words, "guard", ...more], { encoding: "utf8" });
        return stdout + stderr;
      };
      say({ said, pid: String(process.pid), below: run("uninstall", "opencode"), status: run("status") });`,
    );
    expect(said).toBe("runs");
    expect(below).toContain("INSIDE_SESSION");
    expect(below).toContain(`opencode, process ${pid}`);
    expect(status).toContain(`Process ${pid} decides by itself`);
  });

  it("takes a process where the agent's runtime has no such threads, or variables for Node that they do not take", async () => {
    await install("--policy", policy);
    const said = agent(
      `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } });
      say([await call("ls"), await call("rm x")]);`,
    );
    expect(said).toEqual(["runs", expect.stringContaining("exec(rm *)")]);
    const module = changed("inside", withoutProcess);
    const none = agent(
      `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } }); say(await call("ls"));`,
      { module },
    );
    expect(none).toMatch(/cannot be started \([^]*ENOENT/);
    for (const more of [
      { NODE_OPTIONS: "--max-old-space-size=4096 --no-deprecation" },
      { NODE_OPTIONS: "--stack-trace-limit=7" },
    ])
      expect(agent('say([await call("ls"), await call("rm x")]);', { module, more })).toEqual([
        "runs",
        expect.stringContaining("exec(rm *)"),
      ]);
  });

  it("only watches where that is wanted, whatever happens to it", async () => {
    await install("--policy", policy, "--watch-only");
    const module = changed("watching", withoutProcess);
    expect(agent('say([await call("rm x"), await call("ls")]);', { module })).toEqual(["runs", "runs"]);
    const log = readFileSync(join(stateFolderOf(home), "guard/watched.jsonl"), "utf8");
    expect(log.trim().split("\n")).toHaveLength(2);
    const broken = changed("broken", withProgram(join(home, "guard-hook.js")));
    expect(agent('say(await call("rm x"));', { module: broken })).toBe("runs");
  });
});
