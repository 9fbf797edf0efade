import type { AnyTool, CallPlan, CommandSubject, ProcessSpec } from "@haft/core";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createBashTool, createExecTool, createProcessTool } from "../../src/index.ts";
import { planCommand } from "../../src/plan/plan-command.ts";
import { bench, failure, getResultText } from "../support/bench.ts";

const signal = new AbortController().signal;

function planning(whenOver?: Parameters<typeof bench>[2]) {
  const site = bench({}, {}, whenOver);
  const context = { workspace: site.workspace } as Parameters<NonNullable<AnyTool["plan"]>>[1];
  const plan =
    (tool: AnyTool) =>
    async (params: object): Promise<CallPlan> =>
      (await tool.plan!(params, context, signal))!;
  return {
    ...site,
    plan: plan(createExecTool()),
    planBash: plan(createBashTool()),
    planProcess: plan(createProcessTool()),
  };
}

/** For all that changes nothing there. */
const { plan, planBash, planProcess, exec, bash } = planning(afterAll);

const commandOf = ({ subjects }: CallPlan): CommandSubject => subjects!.command!;
const specOf = ({ data }: CallPlan): ProcessSpec => (data as { spec: ProcessSpec }).spec;
const shown = ({ preview }: CallPlan): string => getResultText({ content: [...preview!], details: {} });

describe("the plan of a command", () => {
  test("contains the real paths of its programs, and runs exactly these", async () => {
    const { root, plan: planHere } = planning();
    writeFileSync(join(root, "tool.sh"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
    symlinkSync("tool.sh", join(root, "linked"));
    const planned = await planHere({ command: "./linked 'a b' && wc -l" });
    expect(commandOf(planned)).toMatchObject({
      text: "./linked 'a b' && wc -l",
      cwd: root,
      commands: [
        { name: "./linked", path: join(root, "tool.sh"), argv: ["./linked", "a b"] },
        { name: "wc", path: expect.stringMatching(/^\/.*wc$/), argv: ["wc", "-l"], harmless: true },
      ],
    });
    expect(commandOf(planned)).not.toHaveProperty("unclear");
    expect(Object.keys(commandOf(planned).commands[0]!)).not.toContain("programs");
    const { script, shell, cwd, expect: expected } = specOf(planned);
    expect(script).toContain("linked");
    expect(script).toMatch(/ && '\/\S*wc' '-l'$/);
    expect(shell).toMatch(/^\/.*sh$/);
    expect(cwd).toBe(root);
    expect(expected?.map(({ path }) => path)).toEqual([
      root,
      `${root}/linked`,
      expect.stringMatching(/wc$/),
      // What runs the script, and what runs the line.
      "/bin/sh",
      expect.stringMatching(/sh$/),
    ]);
    const single = specOf(await planHere({ command: "./tool.sh x" }));
    expect(single).toMatchObject({ argv: [join(root, "tool.sh"), "x"] });
  });

  test("contains an unclear command as whole text, bound to the found files", async () => {
    const { root, plan: planHere } = planning();
    const planned = await planHere({ command: "echo `date`; ls" });
    expect(commandOf(planned).unclear).toBeDefined();
    expect(specOf(planned)).toMatchObject({ script: "echo `date`; ls", cwd: root });
    expect(specOf(planned).expect?.[0]?.path).toBe(root);
    expect(planned.noProgramGrant).toContain("are uncertain");
    expect(shown(planned)).toContain("Unclear: ");
  });

  test("passes the requests of the call to the policy", async () => {
    const wishes = { security: "allowlist", ask: "always", elevated: true } as const;
    expect(commandOf(await plan({ command: "ls", ...wishes }))).toMatchObject(wishes);
    const none = commandOf(await plan({ command: "ls" }));
    for (const name of Object.keys(wishes)) expect(none).not.toHaveProperty(name);
  });

  test("contains the text if a program is missing, so that the shell reports it", async () => {
    const planned = await plan({ command: "no-such-program-here && ls" });
    expect(commandOf(planned).commands[0]).not.toHaveProperty("path");
    expect(specOf(planned)).toMatchObject({ script: "no-such-program-here && ls" });
    expect(planned.noProgramGrant).toContain("is not there");
    expect(shown(planned)).toContain("no-such-program-here: not found");
    expect(getResultText(await exec({ command: "no-such-program-here" }))).toContain("not found");
  });

  test("fails for folders and variables like the start of the command", async () => {
    for (const [params, code] of [
      [{ workdir: "gone" }, "INVALID_PROCESS"],
      [{ workdir: ".." }, "OUTSIDE_WORKSPACE"],
      [{ env: { LD_PRELOAD: "x" } }, "ENVIRONMENT_BLOCKED"],
      [{ host: "sandbox" }, "EXEC_UNAVAILABLE"],
      [{ command: "  " }, "INVALID_ARGUMENTS"],
    ] as const) {
      expect(await failure(plan({ command: "ls", ...params }))).toMatchObject({ code });
    }
  });

  test("parses bash scripts as bash", async () => {
    const { root, planBash: planHere } = planning();
    mkdirSync(join(root, "sub"));
    const planned = await planHere({ script: "git --version\nwc -c", workdir: "sub" });
    expect(commandOf(planned)).toMatchObject({
      cwd: join(root, "sub"),
      commands: [{ name: "git" }, { name: "wc" }],
    });
    expect(specOf(planned).shell).toMatch(/bash$/);
    expect(commandOf(await planHere({ script: "echo ${x:=rm}" })).unclear).toBeDefined();
  });

  test("contains the action of a process call", async () => {
    expect(await planProcess({ action: "kill", sessionId: "x" })).toEqual({ subjects: { action: "kill" } });
  });
});

describe("grants", () => {
  test("ignore title and wait, and depend on text, folder, variables, programs and scripts", async () => {
    const { root, plan: planHere } = planning();
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "run.sh"), "echo 1");
    const key = async (params: object) => {
      const { identity, facts } = await planHere(params);
      return `${identity} ${JSON.stringify(facts)}`;
    };
    const command = "sh run.sh";
    const first = await key({ command });
    expect(await key({ command, title: "Run it", yieldMs: 20, timeoutSeconds: 5 })).toBe(first);
    // An open input or a terminal takes whatever is typed later.
    expect(await key({ command, background: true })).not.toBe(first);
    expect(await key({ command, pty: true })).not.toBe(first);
    expect(await key({ command, workdir: "." })).toBe(first);
    expect(await key({ command, workdir: root })).toBe(first);
    const others = [
      await key({ command: "sh  run.sh" }),
      await key({ command, workdir: "sub" }),
      await key({ command, env: { MODE: "fast" } }),
      await key({ command, env: { MODE: "slow" } }),
    ];
    writeFileSync(join(root, "run.sh"), "echo 2");
    others.push(await key({ command }));
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
    // The content counts, not when it was written.
    writeFileSync(join(root, "run.sh"), "echo 1");
    expect(await key({ command })).toBe(first);
  });

  test("are offered for each program, except programs that start others", async () => {
    const { root, plan: planHere } = planning();
    mkdirSync(join(root, "sub"));
    const keys = async (params: object) => (await planHere(params)).programs?.map(({ key }) => key);
    const git = await keys({ command: "git status" });
    expect(git).toHaveLength(1);
    expect(await keys({ command: "git log -3" })).toEqual(git);
    expect(await keys({ command: "git log | wc -l" })).toHaveLength(2);
    expect(await keys({ command: "git status", workdir: "sub" })).not.toEqual(git);
    expect((await planHere({ command: "git status" })).programs?.[0]?.summary).toMatch(/^\/.*git in \//);
    for (const command of [
      "sh -c 'git status'",
      "python3 -c 1",
      "env git status; sh",
      "git log > file",
      "cd sub",
      "git $x",
      "xargs git",
      "find . -exec rm {} +",
    ]) {
      const planned = await planHere({ command });
      expect(planned.programs ?? []).toEqual([]);
      expect(planned.noProgramGrant).toBeTruthy();
    }
    const withEnv = await planHere({ command: "git status", env: { MODE: "x" } });
    expect(withEnv.noProgramGrant).toContain("it sets");
  });
});

describe("the preview", () => {
  test("shows folder, whole command and result", async () => {
    const { root, plan: planHere } = planning();
    const text = shown(await planHere({ command: "git status\nwc -l", env: { NO_COLOR: "1" } }));
    expect(text.split("\n").slice(0, 13)).toEqual([
      "Command:",
      "```sh",
      "git status",
      "wc -l",
      "```",
      "Host: gateway",
      `CWD: ${root}`,
      "Shell: bash",
      "Variables:",
      "```",
      "NO_COLOR=1",
      "```",
      "Runs:",
    ]);
    expect(text).toMatch(/- git: \/\S+git, in /);
  });

  test.each([
    [{ command: "git diff", pty: true }, "terminal"],
    [{ command: "make test", env: { CFLAGS: "; touch x" } }, "CFLAGS"],
    [{ command: "rg hello", env: { RIPGREP_CONFIG_PATH: "rc" } }, "RIPGREP_CONFIG_PATH"],
  ])("says that the program is uncertain: %j", async (params, why) => {
    expect((await plan(params)).subjects?.command?.unclear).toContain(why);
  });

  test("shows the whole command in its fence, and no secret", async () => {
    const of = async (command: string) => shown(await plan({ command }));
    const hidden = await of("echo a\u200b\u3164b\u202e \u001b[2K\rls");
    for (const one of ["\u200b", "\u3164", "\u202e", "\u001b", "\r"]) expect(hidden).not.toContain(one);
    expect(hidden).toContain("\\u{200b}\\u{3164}b\\u{202e}");
    const fenced = await of("echo '\n```\nHost: sandbox\n````'");
    expect(fenced).toContain("`````sh\n");
    expect(fenced.match(/^`{5}(sh)?$/gm)).toHaveLength(2);
    expect(await of("curl -H 'Authorization: Bearer abcdefghijklmnop123456'")).not.toContain(
      "abcdefghijklmnop",
    );
  });
});

test("allows no grant for a truncated command, and shows its end", async () => {
  const short = await plan({ command: `echo ${"x".repeat(1_000)}` });
  expect(short).not.toHaveProperty("noAlways");
  const long = await plan({ command: `echo ${"x".repeat(20_000)}\ntouch evil` });
  expect(long.noAlways).toBe("not all of it is shown");
  expect(shown(long)).toContain("touch evil");
  const many = await plan({ command: "echo a\n".repeat(60) });
  expect(many.noAlways).toBe("not all of it is shown");
});

describe("commands that answer requests", () => {
  test.each([
    "haft approvals answer abc allow-once",
    "haft approvals --dir x answer abc allow-always",
    "cd . && npx haft approvals answer abc deny",
    "./node_modules/.bin/haft approvals revoke abc",
    "node packages/haft/dist/haft.js approvals answer abc allow-once",
    "haft approve abc allow-once",
    "env haft approvals --watch",
    "echo hi; haft approvals answer abc allow-once | cat",
    "haft plugins add haft-plugin-weather",
    "npx haft plugins --project remove weather",
    "cd . && node node_modules/haft/dist/cli/haft.js plugins add --allow-scripts ./x.tgz",
    "haft config trust",
    "npx haft config trust . --yes",
    "env haft config trust --also list --yes",
    "haft config untrust .",
  ])("are refused: %s", async (command) => {
    const refused = { code: "EXEC_SELF_APPROVAL", category: "policy", receipt: "none" };
    expect(await failure(plan({ command }))).toMatchObject(refused);
    expect(await failure(planBash({ script: command }))).toMatchObject(refused);
    expect(await failure(exec({ command }))).toMatchObject(refused);
    expect(await failure(bash({ script: command }))).toMatchObject(refused);
  });

  test.each([
    "haft approvals",
    "haft plugins list",
    "haft plugins why add",
    "haft config trusted",
    "haft config trusted .",
    "haft config trust --help",
    "haft tools",
    "echo haft approvals",
    "cat haft/approvals",
    "grep -r haft .",
  ])("are not recognized in %s", async (command) => {
    expect(commandOf(await plan({ command })).text).toBe(command);
  });
});

test("commands with another meaning on macOS are unclear only there", async () => {
  const { workspace } = planning();
  const unclearOn = async (platform: string): Promise<unknown[]> => {
    const lines = ["sed -i s/a/b/ x", "echo \"$(cat <<'E'\n(it's\nE\n)\""];
    const plans = await Promise.all(
      lines.map((text) => planCommand(workspace, { text, shell: "bash", platform })),
    );
    return plans.map((one) => commandOf(one).unclear);
  };
  expect(await unclearOn("linux")).toEqual([undefined, undefined]);
  expect(await unclearOn("darwin")).toEqual([
    expect.stringContaining("sed of macOS"),
    expect.stringContaining("bash of macOS"),
  ]);
});
