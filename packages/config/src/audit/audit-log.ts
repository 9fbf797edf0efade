import { HaftError } from "@haft/core";
import { systemReason } from "@haft/system";
import { withPathLocks } from "@haft/tools-fs/engine";
import { makeFolder } from "@haft/utils";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { explainForeignFolder } from "../document/check-ownership.ts";
import { configError } from "../errors.ts";
import { rotateFiles } from "./rotate-files.ts";

export interface AuditLogOptions {
  file: string;
  bytes: number;
  files: number;
}

interface OpenFile {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

const NEWLINE = 0x0a;
/** Limits the looks at a fragment, with a millisecond between them. */
const MAX_LOOKS = 20;

/**
 * Appends lines to a file that several processes share. Each append is one write at the end, so lines are complete. After a fragment, left
 * by a full disk or a kill, the next line begins on its own line.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  #open: OpenFile | undefined;

  constructor({ file, ...options }: AuditLogOptions) {
    this.#options = { file: resolve(file), ...options };
  }

  /** Creates the file if missing. @throws HaftError `LEDGER_UNAVAILABLE` */
  require(): void {
    this.#reportFailure(() => this.#current());
  }

  /** Appends complete lines. @throws HaftError `LEDGER_UNAVAILABLE`; then no line counts as written */
  append(lines: string): void | Promise<void> {
    return this.#reportFailure(() => {
      const bytes = Buffer.from(lines);
      const { file, size } = this.#current();
      if (size === 0 || size + bytes.length <= this.#options.bytes) return write(file, size, bytes);
      return this.#rotate(bytes.length).then(() =>
        this.#reportFailure(() => {
          const next = this.#current();
          write(next.file, next.size, bytes);
        }),
      );
    });
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  /** Returns the current file of this name: another process may have rotated or moved it. */
  #current(): { file: OpenFile; size: number } {
    const found = statSync(this.#options.file, { throwIfNoEntry: false });
    const open = this.#open;
    if (open !== undefined && found?.ino === open.ino && found.dev === open.dev)
      return { file: open, size: found.size };
    this.close();
    const file = openLog(this.#options.file);
    this.#open = file;
    return { file, size: fstatSync(file.fd).size };
  }

  /** Without the lock, the file exceeds its limit. */
  async #rotate(more: number): Promise<void> {
    const { file: path, bytes, files } = this.#options;
    const isFull = ({ size }: Stats) => size > 0 && size + more > bytes;
    try {
      await withPathLocks([{ path, real: `${path}#audit` }], async () => rotateFiles(path, files, isFull));
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "FILE_BUSY") throw this.#unavailable(thrown);
    }
  }

  #reportFailure<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  #unavailable(thrown: unknown): HaftError {
    if (HaftError.is(thrown) && thrown.code === "LEDGER_UNAVAILABLE") return thrown;
    const { file } = this.#options;
    return configError(
      "LEDGER_UNAVAILABLE",
      `The audit log ${file} cannot be written: ${systemReason(thrown)}.`,
      {
        details: { file },
        cause: thrown,
      },
    );
  }
}

/** Links, and folders that other users can write to, could redirect the log. */
function openLog(path: string): OpenFile {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  const foreign = explainForeignFolder(realpathSync(folder));
  if (foreign !== undefined) throw new Error(`it ${foreign}`);
  const flags =
    constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = openSync(path, flags, 0o600);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw new Error("it is not a file");
    const userId = process.geteuid?.();
    if (userId !== undefined && found.uid !== userId) throw new Error(`it belongs to user ${found.uid}`);
    if (found.nlink > 1) throw new Error("it has another name, under which it could be changed");
    if ((found.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return { fd, dev: found.dev, ino: found.ino };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

function write({ fd }: OpenFile, size: number, bytes: Buffer): void {
  const whole = endsInLine(fd, size) ? bytes : Buffer.concat([Buffer.of(NEWLINE), bytes]);
  if (writeSync(fd, whole) < whole.length)
    throw new Error("only a part of a line could be written: the disk is full");
}

/** The kernel grows a file in several steps, so a line of another process can be visible in part. It is complete soon. */
function endsInLine(fd: number, firstSize: number): boolean {
  const last = Buffer.alloc(1);
  let size = firstSize;
  for (let looks = 0; ; looks++) {
    if (size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE) return true;
    if (looks === MAX_LOOKS) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    ({ size } = fstatSync(fd));
  }
}
