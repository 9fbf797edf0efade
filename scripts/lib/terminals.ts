import { EventEmitter, once } from "node:events";
import { createRequire } from "node:module";

/** The used part of `@lydell/node-pty`, a dependency of `@haft/workspace` only. */
interface Pty {
  readonly pid: number;
  write(text: string): void;
  onData(listener: (data: Buffer) => void): void;
  onExit(listener: (end: { exitCode: number; signal?: number }) => void): void;
}

interface PtyLibrary {
  spawn(program: string, args: readonly string[], options: object): Pty;
}

interface TerminalSpec {
  argv: readonly string[];
  pty: { cols: number; rows: number };
  stdin: "open";
}

interface OpenTerminal {
  pty: Pty;
  output: Buffer;
  exitCode: number | undefined;
  changes: EventEmitter;
}

/** A person's terminals, not started by Haft: a program of a session may not decide about approvals. */
export class Terminals {
  readonly #cwd: string;
  readonly #open = new Map<string, OpenTerminal>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  async start(id: string, { argv, pty }: TerminalSpec): Promise<{ id: string }> {
    const require = createRequire(new URL("../../packages/workspace/package.json", import.meta.url));
    const library = require("@lydell/node-pty") as PtyLibrary;
    const [program = "", ...words] = argv;
    const { HAFT_PROCESS: _, ...env } = process.env;
    const child = library.spawn(program, words, { ...pty, cwd: this.#cwd, env, encoding: null });
    const changes = new EventEmitter();
    const terminal: OpenTerminal = { pty: child, output: Buffer.alloc(0), exitCode: undefined, changes };
    child.onData((data) => {
      terminal.output = Buffer.concat([terminal.output, data]);
      changes.emit("change");
    });
    child.onExit(({ exitCode, signal }) => {
      terminal.exitCode = signal ? 128 + signal : exitCode;
      changes.emit("change");
    });
    this.#open.set(id, terminal);
    return { id };
  }

  /** Returns output from an offset; without output, it waits at most `waitMs`. */
  async read(id: string, from: number, { waitMs }: { waitMs: number }) {
    const terminal = this.#terminal(id);
    if (terminal.output.length <= from && terminal.exitCode === undefined && waitMs > 0) {
      const signal = AbortSignal.timeout(waitMs);
      await once(terminal.changes, "change", { signal }).catch(() => undefined);
    }
    const bytes = terminal.output.subarray(from);
    const state = terminal.exitCode === undefined ? "running" : "exited";
    return { chunks: bytes.length > 0 ? [{ bytes }] : [], next: from + bytes.length, state };
  }

  async write(id: string, bytes: Buffer): Promise<void> {
    this.#terminal(id).pty.write(bytes.toString());
  }

  async signal(id: string, name: NodeJS.Signals): Promise<void> {
    process.kill(this.#terminal(id).pty.pid, name);
  }

  async wait(id: string): Promise<{ exitCode: number | undefined }> {
    const terminal = this.#terminal(id);
    while (terminal.exitCode === undefined) await once(terminal.changes, "change");
    return { exitCode: terminal.exitCode };
  }

  async kill(id: string): Promise<void> {
    const terminal = this.#terminal(id);
    if (terminal.exitCode !== undefined) return;
    process.kill(-terminal.pty.pid, "SIGKILL");
    await this.wait(id);
  }

  async close(): Promise<void> {
    for (const id of this.#open.keys()) await this.kill(id).catch(() => undefined);
  }

  #terminal(id: string): OpenTerminal {
    const terminal = this.#open.get(id);
    if (terminal === undefined) throw new Error(`There is no terminal ${id}.`);
    return terminal;
  }
}
