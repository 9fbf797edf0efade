import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haft } from "../support/haft.ts";
import { env, makeHome, policy, project } from "./guard-home.ts";
import { MODULE_CALLS } from "./installed-settings.ts";

beforeEach(() => makeHome());

/** The file that the guard was written into, and its text. */
async function installed(agent: string): Promise<string> {
  const done = await haft(["guard", "install", agent, "--policy", policy], { cwd: project, env });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  return readFileSync(/installed in (.*)/.exec(done.stdout)![1]!, "utf8");
}

function run([program = "", ...words]: readonly string[], cwd: string, input = "") {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    input,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Runs a line where the current folder is gone. */
function runThere(line: string, input: string) {
  const deleted = join(project, "gone");
  mkdirSync(deleted, { recursive: true });
  return run(["sh", "-c", `rmdir ../gone; ${line}`], deleted, input);
}

/** What an agent sends that does not say where it works. */
const payload = (command: string) =>
  JSON.stringify({
    hook_event_name: "preToolUse",
    tool_name: "Bash",
    tool_input: { command },
    toolName: "bash",
    toolArgs: { command },
  });

describe("an agent in a deleted folder", () => {
  it.each(["claude", "codex", "gemini", "copilot", "cursor"])(
    "gets decisions from the hook of %s",
    async (agent) => {
      const input = (command: string) =>
        agent === "gemini"
          ? payload(command).replace('"Bash"', '"run_shell_command"')
          : agent === "cursor"
            ? payload(command).replace('"Bash"', '"Shell"')
            : payload(command);
      const line: string = JSON.parse(
        /"(?:[^"\\]|\\.)*guard-hook(?:[^"\\]|\\.)*"/.exec(await installed(agent))![0],
      );
      const passed = runThere(line, input("ls"));
      expect(passed.status).toBe(0);
      expect(passed.stdout).not.toContain("deny");
      const denied = runThere(line, input("rm x"));
      expect(denied.status).toBe(0);
      expect(denied.stdout).toContain("exec is denied by");
      expect(runThere(line, input("git push")).stdout).toMatch(/haft approvals answer/);
    },
  );

  it.each(Object.keys(MODULE_CALLS))("gets decisions from the module of %s", async (agent) => {
    const deleted = join(project, "gone");
    mkdirSync(deleted);
    // Node itself starts nothing there.
    const program = `const own = await import(process.argv[1]);
      process.chdir(${JSON.stringify(deleted)});
      process.getBuiltinModule("fs").rmdirSync(${JSON.stringify(deleted)});
      ${MODULE_CALLS[agent]}
      console.log(JSON.stringify([await call("ls"), await call("rm x"), await call("git push")]));`;
    const module = `data:text/javascript,${encodeURIComponent(await installed(agent))}`;
    const words = [process.execPath, "--input-type=module", "-e", program, module];
    const { status, stdout, stderr } = run(words, project);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      "runs",
      expect.stringContaining("exec is denied by"),
      expect.stringMatching(/exec needs approval/),
    ]);
  });
});
