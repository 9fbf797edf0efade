import type { FileIdentity, TerminalSize } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

export interface Child {
  readonly pid: number;
  readonly queued: number;
  write(bytes: Uint8Array, done: (failed?: Error) => void): void;
  closeInput(): void;
  resize(size: TerminalSize): void;
}

/** Receives events only after the call that started the child has returned. */
export interface ChildListener {
  /** The bytes are only valid during the call. */
  output(stream: OutputStream, bytes: Uint8Array): void;
  outputEnded(): void;
  exit(code: number | undefined, signal: string | undefined): void;
}

export interface Launch {
  argv: readonly string[];
  /** Default: the file that `argv[0]` names. */
  program?: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: boolean;
  /** The file is open at its start. A shell reads it from `SCRIPT_FD`. */
  script?: { fd: number; path: string };
  /** Checked directly before the start. */
  expect: readonly FileIdentity[];
  fence?: Fence;
  /** The command inherits this open file. */
  marker: number;
  scratch: string;
}

export type UnmarkedLaunch = Omit<Launch, "marker" | "scratch">;
