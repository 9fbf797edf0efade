import type { PolicyConfig } from "@haft/policy";
import { expect, test } from "vitest";
import { everydaySite } from "./everyday-site.ts";

async function judge(config: PolicyConfig, lines: readonly string[]): Promise<Record<string, string>> {
  const site = await everydaySite(config);
  try {
    const verdicts: Record<string, string> = {};
    for (const command of lines) {
      const { verdict } = await site.session.explain("exec", { command });
      verdicts[command] = verdict;
    }
    return verdicts;
  } finally {
    await site.close();
  }
}

const NEVER = "denied";
const ASKS = "asks";
const RUNS = "runs";

test("a rule applies to each command of a shell's text, and to the shell", async () => {
  const expected = {
    "sh -c 'git push origin main'": NEVER,
    "bash -c 'npm test && git push origin main'": NEVER,
    "timeout 9 sh -ec 'sh -c \"git push origin main\"'": NEVER,
    "bash -c 'ls'": NEVER,
    "sh -c 'npm test 2>&1 | tail -5'": RUNS,
    "sh -c 'echo \"git push\"; ls'": RUNS,
    "sh -c 'eval \"$x\"'": ASKS,
    "sh -lc 'ls'": ASKS,
  };
  const config: PolicyConfig = { deny: ["exec(git push *)", "exec(bash *)"] };
  expect(await judge(config, Object.keys(expected))).toEqual(expected);
});

test("a list must admit each command of a shell's text, and need not name the shell", async () => {
  const expected = {
    "sh -c 'ls && npm test'": RUNS,
    "sh -c 'ls && python3 -c 1'": ASKS,
    "sh -c 'ls && make'": ASKS,
    "sh -c 'ls' | sh": ASKS,
    "sh run.sh": ASKS,
  };
  const config: PolicyConfig = { exec: { preset: "careful", allow: ["npm", "ls"] } };
  expect(await judge(config, Object.keys(expected))).toEqual(expected);
});
