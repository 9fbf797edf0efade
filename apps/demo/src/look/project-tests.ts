import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** One run of the project's own tests. */
export interface TestRun {
  exitCode: number | null;
  tests: number;
  passed: number;
  failed: number;
}

/** Runs `node --test` in the project, as its package.json does, but not through Haft. */
export async function runProjectTests(project: string, signal: AbortSignal): Promise<TestRun> {
  const child = spawn(process.execPath, ["--test", "--test-isolation=none", "--test-reporter=tap"], {
    cwd: project,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
    signal,
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const [output, [exitCode]] = await Promise.all([text(child.stdout), closed]);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  return { exitCode, tests: count("tests"), passed: count("pass"), failed: count("fail") };
}

/** Some tests ran, and none failed. */
export function isPassed({ exitCode, failed, passed }: TestRun): boolean {
  return exitCode === 0 && failed === 0 && passed > 0;
}
