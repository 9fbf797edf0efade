import type { FileIdentity, OutputStream, TerminalSize } from "@haft/core";
import type { Fence } from "@haft/core/internal";

/** A started command, whatever connects it: pipes, a terminal, or a shell that was waiting for it. */
export interface Child {
  readonly pid: number;
  /** Bytes that wait for it to read them. */
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

/** Everything needed to start one command: nothing is looked up any more. */
export interface Launch {
  argv: readonly string[];
  /** The file to start; the one that `argv[0]` names by default. */
  program?: string;
  /** Absolute and there. */
  cwd: string;
  /** All of it. */
  env: Readonly<Record<string, string>>;
  input: boolean;
  /** A file with the script, open at its start, that a shell reads from `SCRIPT_FD`. */
  script?: { fd: number; path: string };
  /** What has to be as it was, looked at as the last thing before the start. */
  expect: readonly FileIdentity[];
  /** Asked as the last thing of all. */
  fence?: Fence;
  /** Open file that the command inherits as its mark. */
  marker: number;
  /** A name for a folder that is needed while it starts. */
  scratch: string;
}

/** Before it has an id. */
export type Unmarked = Omit<Launch, "marker" | "scratch">;
