import type {
  DirectoryEntry,
  EffectReceipt,
  FileStat,
  FileSystem,
  ReadOptions,
  ReadResult,
  WriteOptions,
  WriteResult,
} from "@haft/core";
import { HaftError } from "@haft/core";
import { checkAborted, failure } from "../boundary/failures.ts";
import { quote } from "../boundary/parse-path.ts";
import { workspaceError } from "../errors.ts";
import { RunnerError } from "../runner-error.ts";
import { entryOf, fieldsOf, listOf, statOf, textOf, WrongAnswer, writtenOf } from "./answer-checks.ts";
import type { CallOptions, RunnerChannel } from "./channel.ts";
import { NeverSent, RunnerMadeError } from "./channel.ts";
import { sandboxLost, toHaftError } from "./failures.ts";
import { MAX_UPLOAD_BYTES } from "./protocol.ts";

/** One call that answers this much is the longest; a buffer of the caller that is larger takes several. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

interface Operation<T> {
  verb: string;
  op: string;
  path: string;
  args?: unknown[];
  /** Changes nothing, so that a lost runner leaves nothing open. */
  changesNothing?: boolean;
  options?: CallOptions;
  answer: (value: unknown, body: Uint8Array) => T;
}

/** The files of a runner's place, over its channel. Failures are those of the file system there, word for word. */
export class RunnerFileSystem implements FileSystem {
  readonly #channel: RunnerChannel;
  readonly #maxReadBytes: number;

  constructor(channel: RunnerChannel, maxReadBytes = MAX_READ_BYTES) {
    this.#channel = channel;
    this.#maxReadBytes = maxReadBytes;
  }

  stat(path: string, options: { follow?: boolean } = {}): Promise<FileStat | undefined> {
    return this.#do({
      verb: "look at",
      op: "fs.stat",
      path,
      args: [options],
      changesNothing: true,
      answer: (value) => (value === null ? undefined : statOf(value)),
    });
  }

  realpath(path: string): Promise<string> {
    return this.#do({
      verb: "resolve",
      op: "fs.realpath",
      path,
      changesNothing: true,
      answer: (value) => textOf(value),
    });
  }

  list(
    path: string,
    options: { limit?: number } = {},
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
    return this.#do({
      verb: "list",
      op: "fs.list",
      path,
      args: [options],
      changesNothing: true,
      answer: (value) => {
        const { entries, truncated } = fieldsOf(value);
        return { entries: listOf(entries, entryOf), truncated: truncated === true };
      },
    });
  }

  async read(path: string, { into, signal, ...range }: ReadOptions = {}): Promise<ReadResult> {
    if (into === undefined) return this.#read(path, range, this.#maxReadBytes, signal);
    const { offset = 0, length = Number.POSITIVE_INFINITY } = range;
    const wanted = Math.min(length, into.length);
    let done = 0;
    let first: FileStat | undefined;
    do {
      const slice = Math.min(wanted - done, this.#maxReadBytes);
      const { bytes, stat } = await this.#read(path, { offset: offset + done, length: slice }, slice, signal);
      first ??= stat;
      if (stat.version !== first.version) throw failure("FILE_CHANGED", { verb: "read", path });
      into.set(bytes, done);
      done += bytes.length;
      if (bytes.length < slice) break;
    } while (done < wanted);
    return { bytes: into.subarray(0, done), stat: first };
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { signal, ...options }: WriteOptions = {},
  ): Promise<WriteResult> {
    const verb = "write";
    checkAborted(signal, { verb, path });
    checkSize(bytes, { verb, path });
    return this.#do({
      verb,
      op: "fs.write",
      path,
      args: [options],
      options: { body: bytes, signal },
      answer: writtenOf,
    });
  }

  async append(path: string, bytes: Uint8Array): Promise<WriteResult> {
    const verb = "append to";
    checkSize(bytes, { verb, path });
    return this.#do({ verb, op: "fs.append", path, options: { body: bytes }, answer: writtenOf });
  }

  mkdirp(path: string): Promise<string[]> {
    return this.#do({
      verb: "create the folder",
      op: "fs.mkdirp",
      path,
      answer: (value) => listOf(value, (one) => textOf(one)),
    });
  }

  async remove(path: string, options: { ifMatch?: string } = {}): Promise<void> {
    await this.#do({ verb: "remove", op: "fs.remove", path, args: [options], answer: () => {} });
  }

  async rename(
    path: string,
    to: string,
    options: { ifMatch?: string; replace?: boolean } = {},
  ): Promise<void> {
    await this.#do({ verb: "move", op: "fs.rename", path, args: [to, options], answer: () => {} });
  }

  async check(path: string, access: "read" | "write", options: { follow?: boolean } = {}): Promise<void> {
    await this.#do({
      verb: access,
      op: "fs.check",
      path,
      args: [access, options],
      changesNothing: true,
      answer: () => {},
    });
  }

  async #read(
    path: string,
    range: { offset?: number; length?: number },
    room: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult> {
    const verb = "read";
    checkAborted(signal, { verb, path });
    return this.#do({
      verb,
      op: "fs.read",
      path,
      args: [range],
      changesNothing: true,
      // The limit is the other side's to explain; this one only holds against a side that has none.
      options: { signal, room: Math.min(room, range.length ?? room) },
      answer: (value, bytes) => ({ bytes, stat: statOf(value) }),
    });
  }

  async #do<T>({
    verb,
    op,
    path,
    args = [],
    changesNothing = false,
    options,
    answer,
  }: Operation<T>): Promise<T> {
    try {
      const { head, body } = await this.#channel.call(op, [path, ...args], options);
      return answer(head["value"], body);
    } catch (thrown) {
      if (thrown instanceof WrongAnswer) this.#channel.abandon(thrown.message);
      const signal = options?.signal;
      const cancelled = signal?.aborted === true && this.#channel.lost === undefined;
      if (thrown instanceof NeverSent || (cancelled && thrown instanceof RunnerError)) {
        const receipt = changesNothing || thrown instanceof NeverSent ? "none" : "unknown";
        throw failure("ABORTED", { verb, path }, { cause: signal?.reason, receipt });
      }
      throw this.#explain(thrown, `${verb} ${quote(path)}`, changesNothing ? "none" : "unknown");
    }
  }

  #explain(thrown: unknown, tried: string, receipt: EffectReceipt): HaftError {
    if (thrown instanceof RunnerMadeError) return toHaftError(thrown);
    if (HaftError.is(thrown)) return thrown;
    const why = thrown instanceof Error ? thrown.message.slice(0, 500) : "of an error that cannot be read";
    if (thrown instanceof RunnerError && thrown.code === "RUNNER_UNAVAILABLE")
      return sandboxLost(tried, why, "none");
    if (thrown instanceof RunnerError || thrown instanceof WrongAnswer)
      return sandboxLost(tried, why, receipt);
    return workspaceError("FILE_SYSTEM_FAILED", `Cannot ${tried}: the runner failed: ${why}.`, {
      fix: "Look at what is there, and repeat the call.",
      receipt,
      cause: thrown,
    });
  }
}

function checkSize(bytes: Uint8Array, request: { verb: string; path: string }): void {
  if (bytes.length <= MAX_UPLOAD_BYTES) return;
  throw failure("FILE_TOO_LARGE", request, {
    why: `it would be ${bytes.length} bytes, and at most ${MAX_UPLOAD_BYTES} are sent to a sandbox at once`,
    fix: "Write it in several parts, or make it with a command there.",
  });
}
