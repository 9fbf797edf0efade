import { type FileStat, type FileSystem, HaftError, type ReadResult, type ScanPage } from "@haft/core";
import type { EffectReceipt } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { checkAborted, failure } from "../boundary/failures.ts";
import { quote } from "../boundary/parse-path.ts";
import { MAX_UPLOAD_BYTES } from "../defaults.ts";
import { workspaceError } from "../errors.ts";
import {
  parseDirectoryEntry,
  parseScanAnswer,
  parseFields,
  parseList,
  parseFileStat,
  textField,
  InvalidAnswerError,
  parseWriteResult,
} from "./answer-checks.ts";
import type { CallOptions, RunnerChannel } from "./channel.ts";
import { NotSentError, RunnerReportedError, sandboxLostError, toHaftError } from "./failures.ts";
import type { ScanAnswer, ScanQuery } from "./protocol.ts";

interface Operation<T> extends CallOptions {
  verb: string;
  args?: unknown[];
  answer: (value: unknown, body: Uint8Array) => T;
}

/** Errors are those of the runner's file system. A large read takes several calls. */
export function createRunnerFileSystem(channel: RunnerChannel, maxReadBytes: number): FileSystem {
  /** Reads have no effect, so their receipt is never `unknown`. */
  const readCall = <T>(op: string, path: string, operation: Operation<T>): Promise<T> =>
    call(channel, op, path, operation, "none");
  const change = <T>(op: string, path: string, operation: Operation<T>): Promise<T> =>
    call(channel, op, path, operation, "unknown");
  const readOnce = (
    path: string,
    range: { offset?: number; length?: number },
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult> => {
    checkAborted(signal, { verb: "read", path });
    return readCall("fs.read", path, {
      verb: "read",
      args: [range],
      signal,
      room: Math.min(most, range.length ?? most),
      answer: (value, bytes) => ({ bytes, stat: parseFileStat(value) }),
    });
  };
  return {
    stat: (path, options = {}) =>
      readCall("fs.stat", path, {
        verb: "look at",
        args: [options],
        answer: (value) => (value === null ? undefined : parseFileStat(value)),
      }),
    realpath: (path) =>
      readCall("fs.realpath", path, { verb: "resolve", answer: (value) => textField(value) }),
    list: (path, options = {}) =>
      readCall("fs.list", path, {
        verb: "list",
        args: [options],
        answer: (value) => {
          const { entries, truncated } = parseFields(value);
          return { entries: parseList(entries, parseDirectoryEntry), truncated: truncated === true };
        },
      }),
    async scan(path, { signal, ...options }) {
      const ask = (query: ScanQuery) =>
        readCall("fs.scan", path, { verb: "list", args: [query], signal, answer: parseScanAnswer });
      const first = await ask(options);
      return followPages(first, options, ask, (scan) =>
        readCall("fs.scan", path, { verb: "list", args: [{ scan, end: true }], answer: () => {} }),
      );
    },
    async read(path, { into, signal, ...range } = {}) {
      if (into === undefined) return readOnce(path, range, maxReadBytes, signal);
      const { offset = 0, length = Number.POSITIVE_INFINITY } = range;
      const wanted = Math.min(length, into.length);
      let done = 0;
      let first: FileStat | undefined;
      do {
        const slice = Math.min(wanted - done, maxReadBytes);
        const { bytes, stat } = await readOnce(path, { offset: offset + done, length: slice }, slice, signal);
        first ??= stat;
        if (stat.version !== first.version) throw failure("FILE_CHANGED", { verb: "read", path });
        into.set(bytes, done);
        done += bytes.length;
        if (bytes.length < slice) break;
      } while (done < wanted);
      return { bytes: into.subarray(0, done), stat: first };
    },
    async write(path, bytes, { signal, fence, ...options } = {}) {
      const verb = "write";
      checkAborted(signal, { verb, path });
      checkSize(bytes, { verb, path });
      return change("fs.write", path, {
        verb,
        args: [options],
        body: bytes,
        signal,
        fence,
        answer: parseWriteResult,
      });
    },
    async append(path, bytes, { fence } = {}) {
      const verb = "append to";
      checkSize(bytes, { verb, path });
      return change("fs.append", path, { verb, body: bytes, fence, answer: parseWriteResult });
    },
    mkdirp: (path, { fence } = {}) =>
      change("fs.mkdirp", path, {
        verb: "create the folder",
        fence,
        answer: (value) => parseList(value, (one) => textField(one)),
      }),
    remove: (path, { fence, ...options } = {}) =>
      change("fs.remove", path, { verb: "remove", args: [options], fence, answer: () => {} }),
    rename: (path, to, { fence, ...options } = {}) =>
      change("fs.rename", path, { verb: "move", args: [to, options], fence, answer: () => {} }),
    check: (path, access, options = {}) =>
      readCall("fs.check", path, { verb: access, args: [access, options], answer: () => {} }),
  };
}

async function* followPages(
  first: ScanAnswer,
  options: ScanQuery,
  ask: (query: ScanQuery) => Promise<ScanAnswer>,
  end: (scan: number) => Promise<void>,
): AsyncGenerator<ScanPage, void> {
  let last = first.last;
  let page = first;
  try {
    while (!page.isLast) {
      const position = last === undefined ? {} : { after: last, inclusive: false };
      const next = ask({ ...options, ...position, scan: page.scan });
      // The caller may end the scan before it.
      next.catch(() => {});
      yield page;
      page = await next;
      last = page.last ?? last;
    }
    yield page;
  } finally {
    if (!page.isLast) void end(page.scan).catch(() => {});
  }
}

/** @param receipt of a call without an answer */
async function call<T>(
  channel: RunnerChannel,
  op: string,
  path: string,
  { verb, args = [], answer, ...options }: Operation<T>,
  receipt: EffectReceipt,
): Promise<T> {
  try {
    const { head, body } = await channel.call(op, [path, ...args], options);
    return answer(head["value"], body);
  } catch (thrown) {
    if (thrown instanceof InvalidAnswerError) channel.abandon(thrown.message);
    const { signal } = options;
    const cancelled = signal?.aborted === true && channel.lost === undefined;
    const neverSent = thrown instanceof NotSentError;
    if (neverSent || (cancelled && thrown instanceof RunnerError)) {
      const left = neverSent ? "none" : receipt;
      throw failure("ABORTED", { verb, path }, { cause: signal?.reason, receipt: left });
    }
    throw explain(thrown, `${verb} ${quote(path)}`, receipt);
  }
}

function explain(thrown: unknown, tried: string, receipt: EffectReceipt): HaftError {
  if (thrown instanceof RunnerReportedError) return toHaftError(thrown);
  if (HaftError.is(thrown)) return thrown;
  const why = thrown instanceof Error ? thrown.message.slice(0, 500) : "of an error that cannot be read";
  const isUnavailable = thrown instanceof RunnerError && thrown.code === "RUNNER_UNAVAILABLE";
  if (thrown instanceof RunnerError || thrown instanceof InvalidAnswerError)
    return sandboxLostError(tried, why, isUnavailable ? "none" : receipt);
  const message = `Cannot ${tried}: the runner failed: ${why}.`;
  const fix = "List the folder, and repeat the call.";
  return workspaceError("FILE_SYSTEM_FAILED", message, { fix, receipt, cause: thrown });
}

function checkSize(bytes: Uint8Array, request: { verb: string; path: string }): void {
  if (bytes.length <= MAX_UPLOAD_BYTES) return;
  throw failure("FILE_TOO_LARGE", request, {
    why: `it has ${bytes.length} bytes, and one write to a sandbox is limited to ${MAX_UPLOAD_BYTES}`,
    fix: "Write it in parts, or create it with a command.",
  });
}
