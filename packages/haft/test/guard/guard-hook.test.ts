import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { haft, stateFolderOf, temporaryFolder } from "../support/haft.ts";

const isBuilt = conditions.length === 0;
const root = join(import.meta.dirname, "../..");
/** What agents' settings start: of the build, where there is one. */
const program = join(root, isBuilt ? "dist/guard-hook.js" : "src/cli/guard/guard-hook.ts");

let home = "";
let env: Record<string, string> = {};
beforeEach(async () => {
  home = await temporaryFolder();
  env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    HAFT_STATE_DIR: stateFolderOf(home),
    HAFT_ADMIN_POLICY: "",
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
  };
  writeFileSync(join(home, "policy.yaml"), 'deny: ["exec(rm *)"]\nask: ["exec(git push*)"]\n');
});

function run(words: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...conditions, "--no-warnings", program, ...words],
    {
      cwd: home,
      input,
      env: { ...process.env, ...env },
      encoding: "utf8",
    },
  );
  return { code: status, stdout, stderr };
}

const call = (command: string) =>
  JSON.stringify({ session_id: "s", cwd: home, tool_name: "Bash", tool_input: { command } });

it("answers as haft guard hook does, to the byte", async () => {
  const words = ["codex", "--policy", join(home, "policy.yaml")];
  for (const input of [call("rm -rf x"), call("ls"), call("git push"), "{"]) {
    const { code, stdout, stderr } = await haft(["guard", "hook", ...words], { cwd: home, input, env });
    expect(run(words, input)).toEqual({ code, stdout, stderr });
  }
});

it.runIf(isBuilt)("loads no more than 300 kB in one file, and of all it may load 400 kB", () => {
  const sizes = readdirSync(join(root, "dist"))
    .filter((name) => /^guard-hook\.js$|-decides\.js$/.test(name))
    .map((name) => statSync(join(root, "dist", name)).size);
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
});

it("answers what is whole, and denies what is not after its own deadline, for a client that never closes its end", async () => {
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
  const words = ["codex", "--policy", join(home, "policy.yaml")];
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
