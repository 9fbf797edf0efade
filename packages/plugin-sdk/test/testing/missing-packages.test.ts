import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** As where nothing but the SDK is installed. */
const ALONE = `
import { registerHooks } from "node:module";
registerHooks({
  resolve(name, context, next) {
    if (!/^@haft\\/(policy|sandbox|workspace)$/.test(name) && name !== process.env.HIDDEN) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
  },
});
const { createTestSession, testPlugin } = await import("@haft/plugin-sdk/testing");
const { definePlugin, defineTool, text, Type } = await import("@haft/plugin-sdk");
const hello = defineTool({
  name: "hello", description: "Greets whoever asks for it.", effects: [], parameters: Type.Object({}),
  execute: () => ({ content: [text("hello")], details: {} }),
});
const plugin = definePlugin({ id: "alone", tools: [hello] });
const tries = [{}, { kind: "group" }, { kind: "sandboxed" }, { kind: "sandboxed", policy: {} }, { workspace: "host" }, { policy: {} }, { kind: "sandboxed", workspace: "memory" }];
const said = [];
for (const options of tries) {
  try {
    const session = await createTestSession(plugin, options);
    said.push((await session.call("hello")).kind);
    await session.close();
  } catch (thrown) {
    said.push([thrown.code, thrown.message, thrown.fix]);
  }
}
const isHidden = process.env.HIDDEN === "fast-check";
const { checks } = isHidden ? { checks: [] } : await testPlugin(plugin, { runs: 3 });
if (isHidden) said.push(await testPlugin(plugin).then(String, ({ code, message, fix }) => [code, message, fix]));
console.log(JSON.stringify({ said, checks: checks.filter(({ status }) => status !== "ok") }));
`;

/** Runs that program. @param hidden a further package that is not installed */
function runAlone(hidden = ""): { said: unknown[]; checks: unknown[] } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@haft/source", "--input-type=module", "-e", ALONE],
    { cwd: import.meta.dirname, encoding: "utf8", env: { ...process.env, HIDDEN: hidden } },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { said: unknown[]; checks: unknown[] };
}

test("a check of a plugin names fast-check if it is not installed", () => {
  expect(runAlone("fast-check").said.at(-1)).toEqual([
    "PACKAGE_MISSING",
    "A check of a plugin needs fast-check, which is not installed here.",
    "Install it: npm install --save-dev fast-check",
  ]);
});

test("names a missing package and its installation, and skips no test", () => {
  const { said, checks } = runAlone();
  const missing = (name: string) => [
    "PACKAGE_MISSING",
    expect.stringMatching(new RegExp(`needs ${name}, which is not installed here`)),
    `Install it: npm install --save-dev ${name}`,
  ];
  expect(said).toEqual([
    "ok",
    missing("@haft/policy"),
    missing("@haft/policy"),
    missing("@haft/policy"),
    missing("@haft/workspace"),
    missing("@haft/policy"),
    missing("@haft/policy"),
  ]);
  expect(checks).toMatchObject([
    { check: "sandbox", status: "skipped", fix: expect.stringContaining("npm install") },
  ]);
});
