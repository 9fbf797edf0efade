import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** As where nothing but the SDK is installed. */
const ALONE = `
import { registerHooks } from "node:module";
registerHooks({
  resolve(name, context, next) {
    if (!/^@haft\\/(policy|sandbox|workspace)$/.test(name)) return next(name, context);
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
const { checks } = await testPlugin(plugin, { runs: 3 });
console.log(JSON.stringify({ said, checks: checks.filter(({ status }) => status !== "ok") }));
`;

test("what needs a package that is not installed says which, and how to install it; nothing is skipped", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@haft/source", "--input-type=module", "-e", ALONE],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const { said, checks } = JSON.parse(stdout) as { said: unknown[]; checks: unknown[] };
  const missing = (name: string) => [
    "TEST_PACKAGE_MISSING",
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
