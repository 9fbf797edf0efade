import { spawn } from "node:child_process";
import { once, type EventEmitter } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { format } from "node:util";
import { onTestFinished, vi } from "vitest";
import { haftCommand, packed } from "../../../../test/support/build-under-test.ts";

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

/** Starts the command of the build that is tested. */
export function start(args: readonly string[], cwd: string, more: Record<string, string> = {}) {
  return startProgram([...haftCommand, ...args], cwd, more);
}

function startProgram(
  [program = "", ...words]: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
) {
  const env = { ...process.env, HAFT_STATE_DIR: stateFolderOf(cwd), ...more };
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
export async function haftOfClient(
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
 * The same in this process, which saves the start of a program: for what a command says, decides and changes; its input
 * is a file. What is about streams, signals, terminals, how a program ends or what a process knows once takes {@link haft}.
 */
export async function haftHere(
  args: readonly string[],
  options: { cwd: string; input?: string; env?: Record<string, string> },
): Promise<Finished> {
  // What is packed is a program, and nothing to import.
  if (packed !== undefined) return haft(args, options);
  // Not a literal: it is no part of a test that also runs against what is packed.
  const source: string = join(import.meta.dirname, "../../src/cli", "command-line.ts");
  const { runCommandLine } = (await import(source)) as {
    runCommandLine: (args: string[]) => Promise<number>;
  };
  const input = options.input === undefined ? [] : [await inputFile(options.input)];
  const before = listeners();
  let stdout = "";
  let stderr = "";
  const spies = [
    vi.spyOn(console, "log").mockImplementation((...parts) => void (stdout += `${format(...parts)}\n`)),
    vi.spyOn(console, "error").mockImplementation((...parts) => void (stderr += `${format(...parts)}\n`)),
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      stdout += String(chunk);
      return true;
    }),
  ];
  try {
    const code = await asStarted(options, () => runCommandLine([...args, ...input]));
    return { code, stdout, stderr, lines: () => parseLines(stdout) };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const [emitter, event, listener] of listeners()) {
      if (!before.some((known) => known[2] === listener)) emitter.off(event, listener);
    }
  }
}

/** Does work in the folder and with the variables of a program that {@link haft} starts. */
export async function asStarted<Result>(
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
  work: () => Promise<Result>,
): Promise<Result> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  // In place, and not as another object: where the home folder is, Node asks the variables of the process itself.
  Object.assign(process.env, { HAFT_STATE_DIR: stateFolderOf(cwd), ...env });
  process.chdir(cwd);
  try {
    return await work();
  } finally {
    process.chdir(before.cwd);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
  }
}

/** A file with the input of a command, beside all workspaces. */
async function inputFile(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-input-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "input");
  await writeFile(file, content);
  return file;
}

/** Who hears what a command listens to until its program ends. */
function listeners(): [EventEmitter, string, (...args: unknown[]) => void][] {
  return [
    ...listenersOf(process, "SIGHUP"),
    ...listenersOf(process, "SIGINT"),
    ...listenersOf(process, "SIGTERM"),
    ...listenersOf(process.stdout, "error"),
  ];
}

function listenersOf(emitter: EventEmitter, event: string) {
  return emitter
    .rawListeners(event)
    .map((listener): ReturnType<typeof listeners>[number] => [emitter, event, listener as never]);
}

function parseLines(text: string): Line[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
}
