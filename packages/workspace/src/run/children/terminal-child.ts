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

const HAND_OVER = `[ -r "$1" ] && exec ${MARKER_FD}<"$1"; [ -z "$2" ] || exec ${SCRIPT_FD}<"$2"; shift 2; exec "$@"`;
/** `undefined` if it is not installed or has no binary for this system. */
let library: Promise<{ spawn: typeof Spawn } | undefined> | undefined;

export async function hasTerminals(): Promise<boolean> {
  library ??= import("@lydell/node-pty").catch(() => undefined);
  return (await library) !== undefined;
}

/** Background processes can write for 0.2 s after the command. */
export async function startOnTerminal(
  { argv, program: file, cwd, env, expect, fence, marker, script }: Launch,
  size: TerminalSize,
  listener: ChildListener,
): Promise<Child> {
  const { spawn } = (await library)!;
  // The child could not report a missing program.
  const program = file ?? findProgram(argv[0]!, env["PATH"], cwd);
  checkUnchanged(expect, { env, cwd });
  // Without a shell, only the variable marks the command.
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
  // The library passes buffers, despite their type.
  terminal.onData((bytes) => listener.output("stdout", bytes as unknown as Buffer));
  const letGo = holdOpen(terminal);
  let ended = false;
  terminal.onExit(({ exitCode, signal }) => {
    ended = true;
    letGo();
    carried?.release();
    listener.outputEnded();
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

/** The command can open the path until `release`. Returns `undefined` without `/proc`. */
function markFor(marker: number): { path: string; release(): void } | undefined {
  const held = attempt(() => openSync(`/proc/self/fd/${marker}`, constants.O_RDONLY));
  if (held === undefined) return undefined;
  return { path: `/proc/${process.pid}/fd/${held}`, release: () => closeSync(held) };
}

/** Keeps the command's side open until it has exited: if the command closed it, the library would close the other, and cause SIGHUP. */
function holdOpen(terminal: IPty): () => void {
  const { ptsName } = terminal as { ptsName?: string };
  const flags = constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK;
  let held = ptsName === undefined ? undefined : attempt(() => openSync(ptsName, flags));
  const letGo = (): void => {
    if (held !== undefined) closeSync(held);
    held = undefined;
  };
  // The library adds this listener after the exit of the command, and reports the exit within 0.2 s.
  socketOf(terminal).on("newListener", (event) => {
    if (event === "close") letGo();
  });
  return letGo;
}

/** The library's own `write` does not count queued bytes. */
function socketOf(terminal: IPty): Socket {
  // oxlint-disable-next-line no-underscore-dangle -- private there; the version is pinned
  return (terminal as unknown as { _socket: Socket })._socket;
}

function signalName(number: number): string {
  const found = Object.entries(system.signals).find(([, value]) => value === number);
  return found?.[0] ?? `SIG${number}`;
}
