import { allSettings } from "@haft/guard/internal/agents";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { env, home, installBuild, makeHome, policy, project } from "./guard-home.ts";
import { MODULE_CALLS } from "./installed-settings.ts";

beforeEach(() => makeHome());

const CLIENTS = [...allSettings.keys()];
const LINES = CLIENTS.filter((id) => allSettings.get(id)!.isModule !== true);

/** Code in variables that ends each Node before it does anything, and leaves a trace. */
function hostileVariables(): { more: Record<string, string>; trace: string } {
  const trace = join(home, "loaded");
  const code = join(home, "e.cjs");
  writeFileSync(code, `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "x"); process.exit(0);`);
  return {
    trace,
    more: {
      NODE_OPTIONS: `--require=${code}`,
      NODE_PATH: home,
      NODE_REPL_EXTERNAL_MODULE: code,
      NODE_COMPILE_CACHE: join(home, "cache"),
      HAFT_CONFIG: join(home, "none.yaml"),
      HAFT_POLICY: join(home, "none.yaml"),
      HAFT_STATE_DIR: join(home, "other-state"),
      XDG_CONFIG_HOME: join(home, "other-config"),
    },
  };
}

async function installed(id: string): Promise<{ file: string; text: string; line: string }> {
  await installBuild(id, "--policy", policy);
  const settings = allSettings.get(id)!;
  const file = settings.file({ home, env });
  const text = readFileSync(file, "utf8");
  return { file, text, line: settings.installed(text)[0]! };
}

describe.each(LINES)("the hook command of %s", (id) => {
  const run = (line: string, file: string, more: Record<string, string>) =>
    spawnSync("sh", ["-c", line], {
      cwd: project,
      env: { PATH: process.env["PATH"], ...env, ...more },
      input: JSON.stringify(allSettings.get(id)!.forbidden(file, project)),
      encoding: "utf8",
    });

  it("loads no code and no other rules from variables", async () => {
    const { line, file } = await installed(id);
    const { more, trace } = hostileVariables();
    const { status, stdout, stderr } = run(line, file, more);
    expect(stdout + stderr).toMatch(/Haft denies this call: it would change/);
    expect(allSettings.get(id)!.blocks({ code: status, stdout, stderr })).toBe(true);
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(join(home, "other-state"))).toBe(false);
  });

  it.each([
    ["says nothing", "exit 0"],
    ["says something else", "echo fine"],
    ["says an allowance of its own", `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`],
    ["crashes", "kill -s SEGV $$"],
  ])("denies if the program %s", async (_, program) => {
    const { line, file } = await installed(id);
    const other = join(home, "node");
    writeFileSync(other, `#!/bin/sh\n${program}\n`);
    chmodSync(other, 0o755);
    const { status, stdout, stderr } = run(line.replace(process.execPath, other), file, {});
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("haft guard install");
  });
});

describe.each(CLIENTS.filter((id) => allSettings.get(id)!.isModule === true))("the module of %s", (id) => {
  it("loads no code and no other rules from variables", async () => {
    const { text } = await installed(id);
    const { more, trace } = hostileVariables();
    const module = join(home, "module.mjs");
    writeFileSync(module, text);
    const program = `import * as own from ${JSON.stringify(module)};
      Object.assign(process.env, ${JSON.stringify(more)});
      ${MODULE_CALLS[id]}
      console.log(JSON.stringify(await call("rm -rf x")));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: project,
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toContain("rm *");
    expect(existsSync(trace)).toBe(false);
  });
});
