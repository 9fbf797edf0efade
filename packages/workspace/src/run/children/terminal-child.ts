import type { TerminalSize } from "@haft/core";
import {
  RunnerError,
  attempt,
  findHostProgram,
  formatMissingProgram,
  requireUnchangedProgram,
  MARKER_FD,
} from "@haft/system/processes";
import type { IPty, spawn as Spawn } from "@lydell/node-pty";
import { closeSync, constants, openSync } from "node:fs";
import type { Socket } from "node:net";
import { constants as system } from "node:os";
import { checkUnchanged } from "../identify/file-identity.ts";
import { findProgram, SCRIPT_FD } from "../shell-program.ts";
import type { Child, ChildListener, Launch } from "./child.ts";

/** Hands over mark and script, which the library does not, and becomes the command, with its own variables. */
const HAND_OVER = `[ -r "$1" ] && exec ${MARKER_FD}<"$1"; [ -z "$2" ] || exec ${SCRIPT_FD}<"$2"; shift 2; exec "$@"`;
/** Loaded with the first terminal. `undefined` where it is not installed or has no binary for this system. */
let library: Promise<{ spawn: typeof Spawn } | undefined> | undefined;

export async function hasTerminals(): Promise<boolean> {
  library ??= import("@lydell/node-pty").catch(() => undefined);
  return (await library) !== undefined;
}

/** The terminal ends with the command; what it left in the background can write for 0.2 s more. */
export async function startOnTerminal(
  { argv, program: file, cwd, env, expect, fence, marker, script }: Launch,
  size: TerminalSize,
  listener: ChildListener,
): Promise<Child> {
  const { spawn } = (await library)!;
  // Looked up here: in the child it would be too late to say that there is none.
  const program = file ?? findProgram(argv[0]!, env["PATH"], cwd);
  checkUnchanged(expect, { env, cwd });
  // Without a shell to open it, the variable has to do.
  const { program: found, leftOut } = findHostProgram("sh");
  const shell = found === undefined ? undefined : requireUnchangedProgram(found);
  const carried = shell === undefined ? undefined : markFor(marker);
  const words = [program, ...argv.slice(1)];
  if (script !== undefined && shell === undefined) {
    carried?.release();
    throw new RunnerError("pty-unavailable", formatMissingProgram("sh", leftOut ?? []));
  }
  const isWrapped = shell !== undefined && (carried !== undefined || script !== undefined);
  const handed = [carried?.path ?? "", script?.path ?? ""];
  const [started, ...args] = isWrapped ? [shell, "-c", HAND_OVER, "sh", ...handed, ...words] : words;
  let terminal: IPty;
  let isRefused = true;
  try {
    fence?.check();
    isRefused = false;
    terminal = spawn(started!, args, {
      name: env["TERM"] ?? "xterm-256color",
      ...size,
      cwd,
      env: { ...env },
      encoding: null,
    });
  } catch (thrown) {
    carried?.release();
    if (isRefused) throw thrown;
    throw new RunnerError("spawn-failed", `the system refused a terminal: ${(thrown as Error).message}`);
  }
  // Without a decoder it hands out buffers, whatever its type says.
  terminal.onData((bytes) => listener.output("stdout", bytes as unknown as Buffer));
  const letGo = holdOpen(terminal);
  let ended = false;
  terminal.onExit(({ exitCode, signal }) => {
    ended = true;
    letGo();
    carried?.release();
    listener.outputEnded();
    // With a signal its exit code means nothing.
    const name = signal === undefined || signal === 0 ? undefined : signalName(signal);
    listener.exit(name === undefined ? exitCode : undefined, name);
  });
  const socket = socketOf(terminal);
  return {
    pid: terminal.pid,
    get queued() {
      return socket.writableLength;
    },
    write: (bytes, done) => socket.write(bytes, (failed) => done(failed ?? undefined)),
    closeInput: () => {},
    resize: ({ cols, rows }) => {
      if (!ended) attempt(() => terminal.resize(cols, rows));
    },
  };
}

/** A path by which the command can open the marker file until its release; `undefined` where nobody looks for it. */
function markFor(marker: number): { path: string; release(): void } | undefined {
  const held = attempt(() => openSync(`/proc/self/fd/${marker}`, constants.O_RDONLY));
  if (held === undefined) return undefined;
  return { path: `/proc/${process.pid}/fd/${held}`, release: () => closeSync(held) };
}

/**
 * Keeps the command's side of the terminal open until the command has exited. A command may close all it has of it before:
 * `cat` does right before its exit, and services do for good. Then the library would close the other side, and the system
 * would hang the command up.
 */
function holdOpen(terminal: IPty): () => void {
  const { ptsName } = terminal as { ptsName?: string };
  const flags = constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK;
  let held = ptsName === undefined ? undefined : attempt(() => openSync(ptsName, flags));
  const letGo = (): void => {
    if (held !== undefined) closeSync(held);
    held = undefined;
  };
  // The library asks for this event when the command has exited. It reports the exit after it, or 0.2 s later.
  socketOf(terminal).on("newListener", (event) => {
    if (event === "close") letGo();
  });
  return letGo;
}

/** What is written to the terminal is accounted for like any other input, which its own `write` does not offer. */
function socketOf(terminal: IPty): Socket {
  // oxlint-disable-next-line no-underscore-dangle -- private there; the version is pinned
  return (terminal as unknown as { _socket: Socket })._socket;
}

function signalName(number: number): string {
  const found = Object.entries(system.signals).find(([, value]) => value === number);
  return found?.[0] ?? `SIG${number}`;
}
