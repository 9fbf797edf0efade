import type { FileIdentity, TerminalSize } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

export interface Child {
  readonly pid: number;
  readonly queued: number;
  write(bytes: Uint8Array, done: (failed?: Error) => void): void;
  closeInput(): void;
  resize(size: TerminalSize): void;
}

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
  script?: { fd: number; path: string };
  /** Checked directly before the start. */
  expect: readonly FileIdentity[];
  fence?: Fence;
  marker: number;
  scratch: string;
}

export type UnmarkedLaunch = Omit<Launch, "marker" | "scratch">;
