import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { env, makeHome, policy, project } from "./guard-home.ts";

const isBuilt = conditions.length === 0;
const program = join(
  import.meta.dirname,
  "../..",
  isBuilt ? "dist/guard-hook.cjs" : "src/cli/guard/guard-hook.ts",
);
const payloads = join(import.meta.dirname, "../../../guard/test/payloads");
const agents = readdirSync(payloads).map((name) => {
  const { shell } = JSON.parse(readFileSync(join(payloads, name), "utf8")) as { shell: object };
  return [name.slice(0, name.indexOf("-")), shell] as const;
});

beforeEach(() => makeHome('ask: ["exec"]\n'));

/** One hook, of which a module has other code. */
function run(agent: string, payload: object, of: string, code: string) {
  const load = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => new RegExp(${JSON.stringify(of)}).test(url)
      ? { format: "module", source: ${JSON.stringify(code)}, shortCircuit: true } : next(url, context) });`;
  const words = [agent, ...(agent === "cursor" ? ["preToolUse"] : []), "--policy", policy];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...conditions,
      "--no-warnings",
      "--import",
      `data:text/javascript,${encodeURIComponent(load)}`,
      program,
      ...words,
    ],
    {
      cwd: project,
      input: JSON.stringify({ ...payload, cwd: project }),
      env: { ...process.env, ...env },
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

const STORE = "/(?:@haft|packages)/store/";

// OpenClaw asks by itself, without a store.
it.each(agents.filter(([agent]) => agent !== "openclaw"))(
  "denies the call if a part of %s exits without an answer",
  (agent, shell) => {
    const { status, stdout, stderr } = run(agent, shell, STORE, "process.exit(0)");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("Haft denies this call: the program that decides ended without an answer.\n");
  },
);

it.each([
  "process.exit()",
  "process.reallyExit(0)",
  "process.exitCode = 0; process.on('exit', () => (process.exitCode = 0)); process.exit();",
  "process.on('exit', () => process.reallyExit(0)); process.exit(0);",
  "setTimeout(() => process.exit(0), 1); await new Promise(() => {});",
  "throw new Error('broken')",
  "export const openSqliteStore = async () => process.exit(0)",
])("by any kind of exit: %s", (code) => {
  const { status, stderr } = run("codex", new Map(agents).get("codex")!, STORE, code);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^Haft denies this call[:,] ./);
});

it
  .skipIf(isBuilt)
  .each([
    "export const answerHook = () => new Promise(() => {});",
    "export const answerHook = () => { process.removeAllListeners('exit'); return new Promise(() => {}); };",
    "process.exit(0);",
  ])("denies the call if the event loop is empty or nothing was loaded: %s", (code) => {
  const { status, stdout } = run("claude", new Map(agents).get("claude")!, "/hook-process", code);
  expect([status, stdout]).toEqual([2, ""]);
});

it("keeps an answer and its exit code", () => {
  const nothing = run("claude", { ...new Map(agents).get("claude"), tool_name: "Read" }, "/none/", "");
  expect(nothing).toEqual({ status: 0, stdout: "", stderr: "" });
  const answered = run("claude", new Map(agents).get("claude")!, "/none/", "");
  expect(answered.status).toBe(0);
  expect(answered.stdout).toContain('"permissionDecision":"deny"');
  expect(answered.stderr).toBe("");
});
