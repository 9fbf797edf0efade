import type { FileIdentity, TerminalSize } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

export interface Child {
  readonly pid: number;
  readonly queued: number;
  /** Calls `done` after the bytes were handed over. */
  write(bytes: Uint8Array, done: (failed?: Error) => void): void;
  closeInput(): void;
  resize(size: TerminalSize): void;
}

/** Receives the events of a child, never before the call that started it has returned. */
export interface ChildListener {
  /** The bytes are only valid during the call. */
  output(stream: OutputStream, bytes: Uint8Array): void;
  /** Called when the process and all its children have closed their ends. */
  outputEnded(): void;
  /** Exactly one argument is defined. */
  exit(code: number | undefined, signal: string | undefined): void;
}

export interface Launch {
  argv: readonly string[];
  /** The file to start. Default: the file that `argv[0]` names. */
  program?: string;
  /** An existing absolute path. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: boolean;
  /** A file with the script, open at its start, that a shell reads from `SCRIPT_FD`. */
  script?: { fd: number; path: string };
  /** Files that must be unchanged. Checked directly before the start. */
  expect: readonly FileIdentity[];
  fence?: Fence;
  /** Open file that the command inherits as its mark. */
  marker: number;
  scratch: string;
}

export type UnmarkedLaunch = Omit<Launch, "marker" | "scratch">;
