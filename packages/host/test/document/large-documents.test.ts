import { readYaml } from "@haft/config/internal/document";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { longestTurn } from "../../../../test/support/longest-turn.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost, type Host } from "../../src/host/host.ts";

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("");
const list = (count: number) => lines(count, (index) => `      - exec(d${index} *)`);

async function started(kind: "policy" | "config", text: string): Promise<Host> {
  const folder = await temporaryFolder();
  const file = join(folder, "file.yaml");
  await writeFile(file, text);
  const options: HostOptions = {
    [kind]: file,
    workspaceDir: folder,
    stateDir: false,
    administratorPolicy: false,
  };
  const host = await createHost(options);
  onTestFinished(() => host.close());
  return host;
}

test.each([
  [
    "policy",
    "POLICY_INVALID",
    `agents:\n  base: &x\n    deny:\n${list(1_500)}${lines(99, (index) => `  a${index}: *x`)}`,
  ],
  [
    "config",
    "CONFIG_INVALID",
    `policy:\n  agents:\n    b: &x\n      deny:\n${list(1_500)}${lines(99, (index) => `    a${index}: *x`)}`,
  ],
  [
    "config",
    "CONFIG_INVALID",
    `mcp:\n  servers:\n    s: &x\n      command: a\n      args:\n${list(1_500)}${lines(99, (index) => `    s${index}: *x`)}`,
  ],
] as const)("refuses a list of thousands of aliases in one sentence: %s, %s", async (kind, code, text) => {
  await expect(started(kind, text)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(
      /^[^\n]* It has more than 100000 values, including values of its aliases; [^\n]*$/,
    ),
  });
});

test("reports the first hundred of thousands of unknown keys", async () => {
  const many = (indent: string) => lines(2_000, (index) => `${indent}k${index}: 1`);
  for (const [kind, text] of [
    ["policy", many("")],
    ["config", many("")],
    ["config", `policy:\n${many("  ")}`],
  ] as const) {
    const thrown = await started(kind, text).catch((error: unknown) => error);
    expect((thrown as { details: { problems: unknown[] } }).details.problems).toHaveLength(100);
  }
});

test("finds lines behind aliases without one search per line", async () => {
  const text = `agents:\n  base: &x\n    deny:\n${list(10_000)}  ada: *x\n`;
  const read = await readYaml(text);
  if ("problems" in read) throw new Error("it is right");
  const { positions } = read;
  const before = process.threadCpuUsage();
  const found = Array.from({ length: 10_000 }, (_, index) => positions(["agents", "ada", "deny", index]));
  const { user, system } = process.threadCpuUsage(before);
  expect(found.every((position, index) => position === index + 4)).toBe(true);
  // A search for each took a quarter of a minute.
  expect((user + system) / 1000).toBeLessThan(8_000);
});

test("yields to the event loop while it reads and compiles ten thousand rules", async () => {
  const text = `deny:\n${list(10_000)}`;
  const host = await started("policy", text);
  for (const work of [() => host.reload(), () => started("policy", text)]) {
    const before = process.threadCpuUsage();
    const longest = await longestTurn(work);
    const { user, system } = process.threadCpuUsage(before);
    expect(longest / ((user + system) / 1000)).toBeLessThan(0.8);
  }
});
