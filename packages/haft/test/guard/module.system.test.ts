import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { haftHere, type Line } from "../support/haft.ts";
import { configure, env, home, installBuild, makeHome, policy, project } from "./guard-home.ts";

let file = "";

beforeEach(async () => {
  await makeHome();
  file = join(home, ".config/opencode/plugins/haft-guard.js");
});

/** Another module than the one that is installed, beside it. */
function changed(name: string, change: (text: string) => string): string {
  const other = join(home, `${name}.mjs`);
  writeFileSync(other, change(readFileSync(file, "utf8")));
  return other;
}

/** The module starts this program of Node in place of the guard's. */
const withProgram =
  (program: string, longestMs = 1500) =>
  (text: string) =>
    text.replace(/[^"]+guard-hook\.c?[jt]s/, program).replace("9000", `${longestMs}`);

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
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

const WAY_OUT = /^Haft denies this call, since its guard [^]*a person runs: haft guard install opencode/;

describe("the guard's module in an agent", () => {
  it.each([
    ["is gone", undefined, /ended with 1 and no answer/],
    ["ends at once", "process.exit(0);\n", /ended with 0/],
    ["ends with an error", "process.exit(7);\n", /ended with 7/],
    ["crashes", "throw new Error('oh no');\n", /ended with 1/],
    ["never answers", "setInterval(() => {}, 1000);\n", /did not end/],
    ["never ends", "for (;;);\n", /did not end/],
    ["gives no object", "console.log('null');\n", /no answer/],
    ["fails with an answer", "console.log('{}'); process.exit(2);\n", /no answer/],
  ])("blocks all calls if its program %s, and names the way out", async (name, program, why) => {
    await installBuild("opencode", "--policy", policy);
    const broken = join(home, "guard-hook.js");
    if (program !== undefined) writeFileSync(broken, program);
    // What never ends takes all of its time.
    const module = changed("broken", withProgram(broken, why.source === "did not end" ? 300 : 60_000));
    const answers = agent("say(await Promise.all([call('ls'), call('pwd')]));", { module });
    for (const text of answers) {
      expect(text).toMatch(WAY_OUT);
      expect(text).toMatch(why);
    }
    expect([name, answers.length]).toEqual([name, 2]);
  });

  it("gives eight concurrent calls their own answers, and logs each once", async () => {
    const rules = Array.from({ length: 8 }, (_, at) => `"exec(tool${at} *)"`);
    writeFileSync(policy, `deny: [${rules.join(", ")}]\nask: ["exec(git push*)"]\n`);
    await configure(`audit: { file: ${JSON.stringify(join(home, "audit.jsonl"))} }\n`);
    await installBuild("opencode", "--policy", policy);
    const answers = agent(
      `const all = (words) => Promise.all(Array.from({ length: 8 }, (_, at) => call(words(at))));
      say([await all((at) => "tool" + at + " x"), await all((at) => at % 2 ? "ls" : "tool" + at + " x"), await all((at) => "git push o" + at)]);`,
    );
    const [every, some, prompted] = answers as [string[], string[], string[]];
    for (const [at, text] of every.entries()) expect(text).toContain(`deny[${at}] = `);
    for (const [at, text] of some.entries())
      if (at % 2 === 1) expect(text).toBe("runs");
      else expect(text).toContain(`deny[${at}] = `);
    const ids = prompted.map((text) => /approvals answer (\w+)/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(8);
    expect(readFileSync(join(home, "audit.jsonl"), "utf8").trim().split("\n")).toHaveLength(24);
    expect((await haftHere(["approvals", "answer", ids[3]!, "allow-once"], { cwd: project, env })).code).toBe(
      0,
    );
    const again = agent(
      "say([await call('git push o3'), await call('git push o3'), await call('git push o4')]);",
    );
    expect(again).toEqual([
      "runs",
      expect.stringContaining("approvals answer"),
      expect.stringContaining(ids[4]!),
    ]);
  });

  it("denies no call in watch-only mode, even after failures", async () => {
    await installBuild("opencode", "--policy", policy, "--watch-only");
    expect(agent('say([await call("rm x"), await call("ls")]);')).toEqual(["runs", "runs"]);
    const log = readFileSync(join(getStateFolder(home), "guard/watched.jsonl"), "utf8");
    expect(log.trim().split("\n")).toHaveLength(2);
    const broken = changed("broken", withProgram(join(home, "guard-hook.js")));
    expect(agent('say(await call("rm x"));', { module: broken })).toBe("runs");
  });
});
