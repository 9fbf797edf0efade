import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { haftCommand, packed } from "../../../../test/support/build-under-test.ts";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { startCommand, enterContext, type CommandContext } from "./in-process.ts";

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

/** Starts the command of the build that is tested. */
export function start(args: readonly string[], cwd: string, more: Record<string, string> = {}) {
  return startProgram([...haftCommand, ...args], cwd, more);
}

function startProgram(
  [program = "", ...words]: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
) {
  const env = { ...process.env, HAFT_STATE_DIR: getStateFolder(cwd), ...more };
  const child = spawn(program, words, {
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
  return run([...haftCommand, ...args], options);
}

async function run(
  words: readonly string[],
  options: { cwd: string; input?: string | Uint8Array; env?: Record<string, string> },
): Promise<Finished> {
  const child = startProgram(words, options.cwd, options.env);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr, lines: () => parseLines(stdout) };
}

/** The same as an agent does that is a process of its own, and ends with it: a shell, which is given its line by a variable. */
export async function haftAsClient(
  args: readonly string[],
  options: { cwd: string; input?: string | Uint8Array; env?: Record<string, string> },
): Promise<Finished> {
  const line = [...haftCommand, ...args]
    .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
  return run(["sh", "-c", 'eval "$HAFT_TEST_LINE"; exit $?'], {
    ...options,
    env: { ...options.env, HAFT_TEST_LINE: line },
  });
}

/** A conversation with `haft run`: send a line, get the next answer. */
export function converse(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = start(["run", ...args], cwd, env);
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

/**
 * The same in this process, which saves the start of a program: for what a command says, decides and changes. What is about signals,
 * terminals of the system, how a program ends, what a process knows once or reads by its file 0 (`haft guard try`) takes {@link haft}.
 */
export async function haftHere(
  args: readonly string[],
  options: { cwd: string; input?: string | Uint8Array; env?: Record<string, string> },
): Promise<Finished> {
  // What is packed is a program, and nothing to import.
  if (packed !== undefined) return haft(args, options);
  const here = startCommand(args, contextOf(options));
  here.stdin.end(options.input ?? "");
  const code = await here.ended;
  const { text } = here.stdout;
  return { code, stdout: text, stderr: here.stderr.text, lines: () => parseLines(text) };
}

/** A conversation with `haft run` in this process. */
export function converseHere(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  if (packed !== undefined) return converse(args, cwd, env);
  const { stdin, stdout, ended } = startCommand(["run", ...args], contextOf({ cwd, env }));
  let isOver = false;
  void ended.finally(() => (isOver = true)).catch(() => {});
  onTestFinished(async () => {
    stdin.end();
    await ended.catch(() => {});
  });
  let read = 0;
  return {
    send: (value: unknown) =>
      void stdin.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`),
    async answer(): Promise<Line> {
      let end = stdout.text.indexOf("\n", read);
      while (end < 0) {
        if (isOver) throw new Error("haft run ended without an answer");
        await once(stdout, "more");
        end = stdout.text.indexOf("\n", read);
      }
      const line = stdout.text.slice(read, end);
      read = end + 1;
      return JSON.parse(line);
    },
    async end(): Promise<number | null> {
      stdin.end();
      return ended;
    },
  };
}

/** The command in this process, at a terminal that does what is asked of one and no more: it sends no signals. */
export function terminalHere(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const { stdin, stdout, ended } = startCommand(args, contextOf({ cwd, env }), true);
  onTestFinished(async () => {
    stdin.end();
    await ended.catch(() => {});
  });
  let isOver = false;
  void ended.finally(() => (isOver = true)).catch(() => {});
  let seen = 0;
  return {
    type: (text: string) => void stdin.write(text),
    /** Waits until this has come since the last time, and answers all that came. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(stdout.text.slice(seen))) {
        if (isOver) throw new Error(`It ended: ${stdout.text.slice(seen)}`);
        await once(stdout, "more");
      }
      const text = stdout.text.slice(seen);
      seen = stdout.text.length;
      return text;
    },
    async end() {
      return { exitCode: await ended, output: stdout.text.slice(seen) };
    },
  };
}

/** Does work in the folder and with the variables of a program that {@link haft} starts. */
export async function withCommandEnvironment<Result>(
  options: { cwd: string; env?: Record<string, string> },
  work: () => Promise<Result>,
): Promise<Result> {
  const restore = enterContext(contextOf(options));
  try {
    return await work();
  } finally {
    restore();
  }
}

function contextOf({ cwd, env }: { cwd: string; env?: Record<string, string> }): CommandContext {
  return { cwd, env: { HAFT_STATE_DIR: getStateFolder(cwd), TERM: "xterm", ...env } };
}

function parseLines(text: string): Line[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
}
