import type { ProcessSpec } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { RunnerError, MARKER_VARIABLE, findProcess } from "@haft/system/processes";
import { closeSync, constants, openSync, statSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { AnonymousPipes } from "./children/anonymous-pipes.ts";
import type { Child, ChildListener, Launch, UnmarkedLaunch } from "./children/child.ts";
import { FifoPipes } from "./children/fifo-pipes.ts";
import { checkArguments, type Pipes, startOnPipes } from "./children/pipe-child.ts";
import { type PooledShell, ShellPool } from "./children/shell-pool.ts";
import type { CommandGroups } from "./groups/command-groups.ts";
import { preferForOomKill, type MemoryLimit } from "./memory-limit.ts";
import { type Shell, resolveShell } from "./shell-program.ts";

export interface SpawnerOptions {
  /** Every id starts with it. */
  runId: string;
  folder: string;
  spareShell: boolean;
  listPids: boolean;
  memory?: MemoryLimit | undefined;
  groups?: CommandGroups | undefined;
  scriptTerminals?: boolean;
}

/** Contains the first processes of a run, one `pid started` per line, for the cleanup after a crash. */
export const PID_LIST = "pids";
const DEFAULT_SHELL = "sh";
/** Other shells than bash read byte by byte, so a longer script is passed as a file. */
const MAX_READ_BYTES = 16 * 1024;
/** The system limits one argument to 128 KiB. */
const MAX_INLINE_SCRIPT_BYTES = 96 * 1024;

export class ProcessSpawner {
  readonly #options: SpawnerOptions;
  readonly #pipes: Pipes;
  readonly #spares: ShellPool | undefined;
  readonly #pids: number | undefined;
  #count = 0;

  constructor(options: SpawnerOptions) {
    const { folder, spareShell, listPids } = options;
    this.#options = options;
    this.#pids = listPids ? openSync(join(folder, PID_LIST), "a", 0o600) : undefined;
    this.#pipes = { input: new AnonymousPipes(), output: new FifoPipes(folder) };
    this.#spares = spareShell ? new ShellPool((launch) => this.#startSpare(launch)) : undefined;
  }

  /** `listen` receives the id before any event. If `ready` rejects, nothing starts. `fence` is checked last. */
  async launch(
    spec: ProcessSpec,
    listen: (id: string) => ChildListener,
    ready?: Promise<void>,
    fence?: Fence,
  ): Promise<Child> {
    const cwd = requireFolder(spec);
    const script = scriptOf(spec);
    const name = spec.shell ?? DEFAULT_SHELL;
    checkArguments(script === undefined ? (spec.argv ?? []) : [name]);
    const input = spec.pty !== undefined || spec.stdin === "open";
    const { env = {}, expect = [] } = spec;
    const shell = script === undefined ? undefined : resolveShell(name, env["PATH"], cwd);
    const argv = shell?.words ?? spec.argv ?? [];
    const command = { argv, cwd, env, input, expect, ...(fence && { fence }) };
    const launch = shell === undefined ? command : { ...command, program: shell.program };
    // A waiting shell was started before the check of files.
    if (shell !== undefined && script !== undefined && spec.pty === undefined && expect.length === 0) {
      const spare = await this.#spares?.take(launch, shell, script, ready);
      if (spare !== undefined) {
        spare.adopt(listen(spare.id));
        return spare.child;
      }
    }
    if (ready !== undefined) await ready;
    const id = this.#nextId();
    const given = shell === undefined ? undefined : this.#giveScript(script ?? "", shell, id);
    const file = given?.file === undefined ? {} : { script: given.file };
    const withScript = { ...launch, ...file, argv: [...argv, ...(given?.argv ?? [])] };
    const listener = listen(id);
    const started = this.#marked(id, withScript, async (marked) => {
      if (spec.pty === undefined) return startOnPipes(marked, this.#pipes, listener);
      if (this.#options.scriptTerminals !== true) {
        const { hasTerminals, startOnTerminal } = await import("./children/terminal-child.ts");
        if (await hasTerminals()) return startOnTerminal(marked, spec.pty, listener);
      }
      const { startOnScriptTerminal } = await import("./children/script-terminal.ts");
      return startOnScriptTerminal(marked, spec.pty, this.#pipes, listener);
    });
    return started.finally(() => {
      if (given?.file !== undefined) closeSync(given.file.fd);
      // On a terminal, the shell opens the file, which is removed after the command.
      if (given?.file !== undefined && spec.pty === undefined) unlinkSync(given.file.path);
    });
  }

  commandEnded(): void {
    this.#spares?.commandEnded();
  }

  close(): void {
    this.#spares?.close();
    this.#pipes.input.close();
    if (this.#pids !== undefined) closeSync(this.#pids);
  }

  async #startSpare(launch: UnmarkedLaunch): Promise<PooledShell> {
    const id = this.#nextId();
    let listener: ChildListener | undefined;
    // Before its use, a shell reports only its end.
    const relay: ChildListener = {
      output: (stream, bytes) => listener?.output(stream, bytes),
      outputEnded: () => listener?.outputEnded(),
      exit: (code, signal) => {
        if (listener === undefined) this.#options.groups?.markEnded(id);
        else listener.exit(code, signal);
      },
    };
    const child = await this.#marked(id, launch, (marked) => startOnPipes(marked, this.#pipes, relay, true));
    return {
      id,
      child,
      adopt: (one) => {
        listener = one;
      },
    };
  }

  async #marked<T extends Child>(
    id: string,
    launch: UnmarkedLaunch,
    start: (launch: Launch) => Promise<T>,
  ): Promise<T> {
    const path = join(this.#options.folder, id);
    const marker = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    const env = { ...launch.env, [MARKER_VARIABLE]: id };
    const started = (): Promise<T> => start({ ...launch, env, marker, scratch: `${path}.start` });
    try {
      const child = await (this.#options.groups?.start(id, started) ?? started());
      const { pid } = child;
      if (this.#pids !== undefined) writeSync(this.#pids, `${pid} ${findProcess(pid)?.started ?? 0}\n`);
      if (this.#options.memory !== undefined) preferForOomKill(pid);
      return child;
    } finally {
      closeSync(marker);
      unlinkSync(path);
    }
  }

  #nextId(): string {
    return `${this.#options.runId}-${++this.#count}`;
  }

  /** Keeps the script out of the arguments, where `ps` and `pkill -f` would find it. */
  #giveScript(script: string, { reader, named }: Shell, id: string): GivenScript {
    const bytes = Buffer.byteLength(script);
    const path = scriptPath(this.#options.folder, id);
    const isRead = reader !== undefined && (named.length > 0 || bytes <= MAX_READ_BYTES);
    if (isRead) {
      const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
      // Writes at a position, so that the file remains at its start.
      const text = Buffer.from(script);
      for (let done = 0; done < text.length;) done += writeSync(fd, text, done, text.length - done, done);
      return { argv: ["-c", reader, ...named], file: { fd, path } };
    }
    if (reader === undefined && bytes <= MAX_INLINE_SCRIPT_BYTES) return { argv: ["-c", script, ...named] };
    writeFileSync(path, script, { mode: 0o600, flag: "wx" });
    return { argv: [path] };
  }
}

interface GivenScript {
  argv: readonly string[];
  file?: { fd: number; path: string };
}

export function scriptPath(folder: string, id: string): string {
  return join(folder, `${id}.script`);
}

export function requireFolder({ cwd }: Pick<ProcessSpec, "cwd">): string {
  if (cwd === undefined || !isAbsolute(cwd))
    throw new RunnerError("INVALID_PROCESS", "its folder is not absolute");
  if (!(statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    throw new RunnerError("workdir-not-found", `there is no folder ${JSON.stringify(cwd)}`);
  }
  return cwd;
}

function scriptOf({ argv, script }: ProcessSpec): string | undefined {
  if ((argv === undefined) === (script === undefined)) {
    throw new RunnerError("INVALID_PROCESS", "it needs either `argv` or `script`");
  }
  if (script?.includes("\0") === true)
    throw new RunnerError("INVALID_PROCESS", "the script contains a NUL character");
  return script;
}
