import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { check, plugin, listProblems } from "./check-support.ts";

// Plugins that block or end the process that checks them.

test.each([
  ["a loop that gives nobody a turn", "for (;;) {}", /abort: It blocked its process for .* after one\(/],
  ["the end of the process", "process.exit(7)", /leaks: It ended its process with exit code 7, after one\(/],
  ["the end of the process, later", "setTimeout(() => process.exit(3)); return answer;", /exit code 3/],
])("reports %s, with the call that caused it", async (_, execute, expected) => {
  expect(listProblems(await check(plugin(execute), 1_500)).join("\n")).toMatch(expected);
});

test("a factory that loops does not block the checking process", async () => {
  const file = join(realFolder(), "late.mjs");
  writeFileSync(
    file,
    `import { definePlugin } from "@haft/plugin-sdk";
export default definePlugin({ id: "late", tools: [{ names: ["x"], factory: () => { for (;;) {} } }] });`,
  );
  expect(listProblems(await check(file, 500)).join()).toMatch(/blocked its process/);
});

test.each([
  ["writes", 'fs.writeFileSync("/haft-must-not-exist", "");'],
  ["starts", 'process.getBuiltinModule("node:child_process").execSync("true");'],
])(
  "reports once a module that %s something while it is loaded, without advice of Node",
  async (what, before) => {
    const problems = listProblems(await check(plugin("return answer;", { before })));
    expect(problems.filter((line) => line.startsWith("load: "))).toEqual([expect.stringContaining(what)]);
    expect(problems.join("\n")).not.toMatch(/--allow-|exit code/);
  },
);

test("reports the same background failure of many calls once", async () => {
  const execute = "setImmediate(() => { throw new Error('forgotten ' + 1); }); return answer;";
  const problems = listProblems(await check(plugin(execute)));
  expect(problems.filter((line) => line.includes("forgotten"))).toHaveLength(1);
});

test("reports a top-level await, background failures and printed text", async () => {
  const execute = "Promise.reject(new Error('forgotten')); console.log('hello'); return answer;";
  const problems = listProblems(await check(plugin(execute, { before: "await null;" }))).join("\n");
  expect(problems).toMatch(/^require: .*awaits something at its top/m);
  expect(problems).toMatch(/^leaks: .*forgotten/m);
  expect(problems).toMatch(/^prints: .*hello/m);
});
