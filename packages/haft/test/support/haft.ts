import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Each line of standard output, parsed. */
  lines: () => Line[];
}

// Answers are read as they come; each test looks at the fields it expects.
// oxlint-disable-next-line typescript/no-explicit-any
export type Line = any;

/** An empty folder that is gone after the test, with what Haft keeps about it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-test-"));
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(stateFolderOf(folder), { recursive: true, force: true });
  });
  return folder;
}

/** Beside the folder, not in it: what Haft keeps is outside of the workspace. */
export function stateFolderOf(folder: string): string {
  return `${folder}-state`;
}

/** Starts the command on the sources. */
function start(args: readonly string[], cwd: string, more: Record<string, string> = {}) {
  const env = { ...process.env, HAFT_STATE_DIR: stateFolderOf(cwd), ...more };
  const child = spawn(process.execPath, ["--conditions=@haft/source", main, ...args], {
    cwd,
    env,
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs the command to its end. */
export async function haft(
  args: readonly string[],
  options: { cwd: string; input?: string | Uint8Array; env?: Record<string, string> },
): Promise<Finished> {
  const child = start(args, options.cwd, options.env);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  const lines = () =>
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line): Line => JSON.parse(line));
  return { code, stdout, stderr, lines };
}

/** A conversation with `haft run`: send a line, get the next answer. */
export function converse(args: readonly string[], cwd: string) {
  const child = start(["run", ...args], cwd);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    send: (value: unknown) =>
      void child.stdin.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`),
    async answer(): Promise<Line> {
      const { value, done } = await answers.next();
      if (done) throw new Error("haft run ended without an answer");
      return JSON.parse(value);
    },
    async end(): Promise<number | null> {
      child.stdin.end();
      const [code] = (await once(child, "close")) as [number | null];
      return code;
    },
  };
}
