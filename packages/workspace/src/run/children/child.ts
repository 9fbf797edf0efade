import type { FileIdentity, TerminalSize } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

export interface Child {
  readonly pid: number;
  readonly queued: number;
  /** `done` is called once it could be handed over. */
  write(bytes: Uint8Array, done: (failed?: Error) => void): void;
  closeInput(): void;
  resize(size: TerminalSize): void;
}

/** What a child tells. Nothing is told before the call that started it has returned. */
export interface ChildListener {
  /** The bytes are only valid during the call. */
  output(stream: OutputStream, bytes: Uint8Array): void;
  /** Nobody can write any more: the process and all its children closed their ends. */
  outputEnded(): void;
  /** Exactly one of the two is there. */
  exit(code: number | undefined, signal: string | undefined): void;
}

export interface Launch {
  argv: readonly string[];
  /** The file to start; the one that `argv[0]` names by default. */
  program?: string;
  /** Absolute and there. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: boolean;
  /** A file with the script, open at its start, that a shell reads from `SCRIPT_FD`. */
  script?: { fd: number; path: string };
  /** What has to be as it was, looked at as the last thing before the start. */
  expect: readonly FileIdentity[];
  fence?: Fence;
  /** Open file that the command inherits as its mark. */
  marker: number;
  scratch: string;
}

export type UnmarkedLaunch = Omit<Launch, "marker" | "scratch">;
