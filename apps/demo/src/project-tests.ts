import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** One run of the project's own tests. */
export interface TestRun {
  exitCode: number | null;
  tests: number;
  passed: number;
  failed: number;
  /** Names of the tests that fail. */
  failures: readonly string[];
}

/** Runs `node --test` in the project, as its package.json does, but not through Haft. Needs nothing installed. */
export async function runProjectTests(project: string, signal: AbortSignal): Promise<TestRun> {
  const args = ["--test", "--test-isolation=none", "--test-reporter=tap"];
  const child = spawn(process.execPath, args, {
    cwd: project,
    // Nothing of this process's own setup reaches the tests of a project.
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
    signal,
  });
  const [output, [exitCode]] = await Promise.all([
    text(child.stdout),
    once(child, "close") as Promise<[number | null]>,
  ]);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  return {
    exitCode,
    tests: count("tests"),
    passed: count("pass"),
    failed: count("fail"),
    failures: Array.from(output.matchAll(/^ *not ok \d+ - (.*)$/gm), ([, name]) => name!),
  };
}
