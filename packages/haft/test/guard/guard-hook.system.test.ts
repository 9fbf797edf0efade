import { UNOPTIMISED_FLAGS } from "@haft/guard/internal/agents";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { env, home, hook, hookProcess, makeHome, policy, project } from "./guard-home.ts";

const isBuilt = conditions.length === 0;
const root = join(import.meta.dirname, "../..");
/** What agents' settings start: of the build, where there is one. */
const program = join(root, isBuilt ? "dist/guard-hook.cjs" : "src/cli/guard/guard-hook.ts");

beforeEach(() => makeHome());

function run(words: readonly string[], input: string, more: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...conditions, "--no-warnings", program, ...words],
    {
      cwd: project,
      input,
      env: { ...process.env, ...env, ...more },
      encoding: "utf8",
    },
  );
  return { code: status, stdout, stderr };
}

const call = (command: string) =>
  JSON.stringify({ session_id: "s", cwd: project, tool_name: "Bash", tool_input: { command } });

it("answers the same bytes as haft guard hook", async () => {
  const words = ["codex", "--policy", policy];
  for (const input of [call("rm -rf x"), call("ls"), call("git push"), "{"]) {
    const { code, stdout, stderr } = await hookProcess(input, words);
    expect(run(words, input)).toEqual({ code, stdout, stderr });
  }
});

it("explains and offers the same change without checking the rules again", async () => {
  const file = join(home, "more.yaml");
  writeFileSync(
    file,
    `allow: ["read", "exec(npm *)", "mcp(github/*)"]
deny: ["exec(npm publish*)", "write(path:secrets/**)", "web_fetch(host:*.example)"]
agents: { codex: { ask: ["exec(npm install*)"], deny: ["mcp(github/delete_*)"] } }
`,
  );
  writeFileSync(join(project, "haft.config.yaml"), 'policy: { deny: ["exec(npm run deploy*)"] }\n');
  const words = ["codex", "--policy", file];
  const other = (tool_name: string, tool_input: object) =>
    JSON.stringify({ session_id: "s", cwd: project, tool_name, tool_input });
  const inputs = [
    ...["npm publish", "npm run deploy", "npm install x", "make", "npm test | tee secrets/x", "bash"].map(
      call,
    ),
    other("mcp__github__delete_repo", {}),
    other("mcp__other__x", {}),
    other("apply_patch", { command: "*** Begin Patch\n*** Add File: secrets/a\n+x\n*** End Patch" }),
  ];
  for (const input of inputs) {
    const answer = await hook(input, words);
    expect([input, run(words, input)]).toEqual([input, answer]);
    expect([input, answer.stdout.includes("deny")]).toEqual([input, true]);
  }
});

it("exits after payloads of megabytes, started by the installed command", async () => {
  const input = JSON.stringify({
    session_id: "s",
    cwd: home,
    tool_name: "Write",
    tool_input: { file_path: join(home, "a.txt"), content: "word \n".repeat(1_400_000) },
  });
  for (let count = 0; count < 6; count++) {
    const line = [
      ...UNOPTIMISED_FLAGS,
      ...conditions,
      "--no-warnings",
      program,
      "claude",
      "--policy",
      policy,
    ];
    const child = spawn(process.execPath, line, {
      cwd: home,
      env: { ...process.env, ...env },
      stdio: ["pipe", "ignore", "inherit"],
    });
    child.stdin.end(input);
    expect(await once(child, "close")).toEqual([0, null]);
  }
}, 60_000);

it("answers complete payloads and denies others at its deadline, if the client never closes its input", async () => {
  const open = async (words: readonly string[], sent: string) => {
    const child = spawn(process.execPath, [...conditions, "--no-warnings", program, ...words], {
      cwd: home,
      env: { ...process.env, ...env },
      stdio: "pipe",
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.write(sent);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  };
  const words = ["codex", "--policy", policy];
  const [whole, half, none, watched] = await Promise.all([
    open(words, call("rm -rf x")),
    open(words, call("rm -rf x").slice(0, -2)),
    open(words, ""),
    open(["claude", "--watch-only"], ""),
  ]);
  expect([whole.code, whole.stderr]).toEqual([0, ""]);
  expect(whole.stdout).toContain("exec(rm *)");
  for (const { code, stdout, stderr } of [half, none]) {
    expect(code).toBe(2);
    expect(stdout).toContain('"permissionDecision":"deny"');
    expect(stderr).toMatch(/could not decide: it took longer than 8 s/);
  }
  expect([watched.code, watched.stdout]).toEqual([0, ""]);
}, 60_000);

it("names the required version in an old Node", () => {
  const old = join(home, "old.cjs");
  writeFileSync(old, "delete Promise.withResolvers;");
  const { code, stdout, stderr } = run(["claude", "--policy", policy], call("ls"), {
    NODE_OPTIONS: `--require=${old}`,
  });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    `Haft denies this call: Error: Node ${process.version} is too old: run haft guard install with 22.18 or newer.\n`,
  );
});
