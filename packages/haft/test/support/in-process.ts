import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { format } from "node:util";

// Command lines in the process of the test. Several run at once, each with streams of its own, in one folder and environment.

export interface CommandContext {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** What a command line writes, and where a test waits for it. */
export class Output extends Writable {
  text = "";
  constructor() {
    super({ decodeStrings: false });
  }
  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    this.emit("more");
    done();
  }
}

/** A command line that runs here. */
export interface RunningCommand {
  stdin: PassThrough;
  stdout: Output;
  stderr: Output;
  /** Its exit code. */
  ended: Promise<number>;
}

const context = new AsyncLocalStorage<RunningCommand>();
const open = new Set<RunningCommand>();
let placed: { said: string; restore: () => void } | undefined;

/** @param terminal somebody sits there: one screen for both outputs */
export function startCommand(
  args: readonly string[],
  target: CommandContext,
  terminal = false,
): RunningCommand {
  const serialized = JSON.stringify(target);
  if (placed !== undefined && placed.said !== serialized)
    throw new Error("Command lines that run here at once have one folder and one environment.");
  placed ??= { said: serialized, restore: enter(target) };
  const stdout = new Output();
  const here = { stdin: new PassThrough(), stdout, stderr: terminal ? stdout : new Output() };
  if (terminal) {
    for (const stream of [here.stdin, stdout]) Object.assign(stream, { isTTY: true, columns: 120, rows: 40 });
  }
  const running: RunningCommand = Object.assign(here, { ended: Promise.resolve(0) });
  open.add(running);
  running.ended = context.run(running, () => run(args)).finally(() => leave(running));
  // Whoever waits for it later is told.
  running.ended.catch(() => {});
  return running;
}

async function run(args: readonly string[]): Promise<number> {
  // Not a literal: it is no part of a test that also runs against what is packed.
  const source: string = join(import.meta.dirname, "../../src/cli", "command-line.ts");
  const { runCommandLine } = (await import(source)) as {
    runCommandLine: (args: string[]) => Promise<number>;
  };
  return runCommandLine([...args]);
}

function leave(here: RunningCommand): void {
  open.delete(here);
  here.stdout.emit("more");
  if (open.size > 0) return;
  placed?.restore();
  placed = undefined;
}

/** Of whoever asks; what was made for an earlier command line, and is shared, speaks to the one that runs. */
function current(): RunningCommand | undefined {
  const inherited = context.getStore();
  if (inherited !== undefined && open.has(inherited)) return inherited;
  return open.size === 1 ? [...open][0] : inherited;
}

/** Everything of this process that a command line asks for. @returns puts it back as it was */
function enter(target: CommandContext): () => void {
  const known = listeners();
  const streams = (["stdin", "stdout", "stderr"] as const).map((name) => {
    const real = Object.getOwnPropertyDescriptor(process, name)!;
    const get = () => current()?.[name] ?? (real.get === undefined ? real.value : real.get.call(process));
    Object.defineProperty(process, name, { get, configurable: true, enumerable: true });
    return () => void Object.defineProperty(process, name, real);
  });
  const consoles = (["log", "error"] as const).map((name) => {
    const real = console[name];
    console[name] = (...parts: unknown[]) => {
      const here = current();
      if (here === undefined) real(...parts);
      else here[name === "log" ? "stdout" : "stderr"].write(`${format(...parts)}\n`);
    };
    return () => void (console[name] = real);
  });
  const goBack = enterContext(target);
  return () => {
    goBack();
    for (const restore of [...streams, ...consoles]) restore();
    for (const [event, listener] of listeners())
      if (!known.some(([, other]) => other === listener)) process.off(event, listener);
  };
}

/** Goes to a folder, with these variables. @returns goes back */
export function enterContext({ cwd, env }: CommandContext): () => void {
  const folder = process.cwd();
  const before = { ...process.env };
  // In place, and not as another object: where the home folder is, Node asks the variables of the process itself.
  Object.assign(process.env, env);
  process.chdir(cwd);
  return () => {
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

/** Who hears what a command listens to until its program ends. */
function listeners(): [string, (...args: unknown[]) => void][] {
  return ["SIGHUP", "SIGINT", "SIGTERM"].flatMap((event) =>
    (process as EventEmitter)
      .rawListeners(event)
      .map((listener): ReturnType<typeof listeners>[number] => [event, listener as never]),
  );
}
