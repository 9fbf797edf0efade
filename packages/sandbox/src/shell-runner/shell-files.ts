import type {
  DirectoryEntry,
  FileStat,
  FileSystem,
  Mount,
  ReadOptions,
  ReadResult,
  WriteOptions,
  WriteResult,
} from "@haft/core";
import { HaftError } from "@haft/core";
import { parsePath } from "@haft/workspace";
import type { FailureCode } from "@haft/workspace/internal/wire";
import { failure, RunnerError, sandboxLost } from "@haft/workspace/internal/wire";
import type { ShellAnswer, ShellChannel } from "./shell-channel.ts";
import { word } from "./shell-channel.ts";

/** The shell reads files from a multiple of this on, so that it can leap. */
export const BLOCK_BYTES = 64 * 1024;
/** Blocks in one answer. */
export const SLICE_BLOCKS = 16;
const DEFAULT_LIMIT = 10_000;
const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;

const CODES: readonly string[] = [
  "OUTSIDE_WORKSPACE",
  "READ_ONLY",
  "ROOT_PINNED",
  "HARD_LINKED",
  "FILE_NOT_FOUND",
  "FILE_EXISTS",
  "FILE_CHANGED",
  "NOT_A_FILE",
  "IS_DIRECTORY",
  "NOT_A_DIRECTORY",
  "NOT_EMPTY",
  "LINK_LOOP",
  "INVALID_PATH",
  "CROSS_DEVICE",
  "ACCESS_DENIED",
  "DISK_FULL",
  "FILE_BUSY",
] satisfies FailureCode[];

const TYPES: Readonly<Record<string, DirectoryEntry["type"]>> = { f: "file", d: "directory", l: "symlink" };

/**
 * The files of a place with nothing but a shell. The boundary is checked and then used: whoever swaps a folder for a link
 * in between gets around it, so it protects from mistakes, and the sandbox from everything else.
 */
export class ShellFileSystem implements FileSystem {
  readonly #channel: ShellChannel;
  readonly #mounts: readonly Mount[];
  readonly #home: string;
  readonly #maxReadBytes: number;

  constructor(
    channel: ShellChannel,
    options: { mounts: readonly Mount[]; home: string; maxReadBytes: number },
  ) {
    this.#channel = channel;
    this.#mounts = options.mounts;
    this.#home = options.home;
    this.#maxReadBytes = options.maxReadBytes;
  }

  async stat(path: string, { follow = true }: { follow?: boolean } = {}): Promise<FileStat | undefined> {
    const args = [follow ? "1" : "0", this.#word(path, "look at")];
    const { fields } = await this.#looking("look at", path, "stat", args).catch((thrown: unknown) => {
      // Below a file there is nothing, nor up from what is not there.
      if (HaftError.is(thrown) && ["NOT_A_DIRECTORY", "FILE_NOT_FOUND"].includes(thrown.code))
        return { fields: ["-"] };
      throw thrown;
    });
    return fields[0] === "-" ? undefined : statOf(fields);
  }

  async realpath(path: string): Promise<string> {
    return (await this.#looking("resolve", path, "realpath", [this.#word(path, "resolve")])).body.toString();
  }

  async list(
    path: string,
    { limit = DEFAULT_LIMIT }: { limit?: number } = {},
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
    const { fields, body } = await this.#looking("list", path, "list", [
      String(limit),
      this.#word(path, "list"),
    ]);
    const entries = body
      .toString()
      .split("\0")
      .slice(0, -1)
      .map((one): DirectoryEntry => ({ name: one.slice(1), type: TYPES[one[0]!] ?? "other" }));
    return { entries, truncated: fields[0] === "1" };
  }

  async read(path: string, { offset = 0, length, into, signal }: ReadOptions = {}): Promise<ReadResult> {
    const request = { verb: "read", path };
    const wanted = Math.min(length ?? Number.POSITIVE_INFINITY, into?.length ?? Number.POSITIVE_INFINITY);
    const parts: Buffer[] = [];
    let stat: FileStat | undefined;
    let done = 0;
    let size = wanted;
    do {
      if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
      const from = offset + done;
      const skip = Math.floor(from / BLOCK_BYTES);
      const within = from - skip * BLOCK_BYTES;
      const blocks = Math.min(
        SLICE_BLOCKS,
        Math.ceil((within + Math.min(size - done, 2 ** 40)) / BLOCK_BYTES),
      );
      const answer = await this.#looking(request.verb, path, "read", [
        String(skip),
        // Nothing is asked of the first block when it is not known how large the file is.
        String(stat === undefined && wanted > this.#maxReadBytes ? Math.min(1, blocks) : blocks),
        this.#word(path, "read"),
      ]);
      const now = statOf(answer.fields);
      if (stat !== undefined && now.version !== stat.version) throw failure("FILE_CHANGED", request);
      if (stat === undefined) {
        stat = now;
        size = Math.min(wanted, Math.max(0, now.size - offset));
        if (into === undefined && size > this.#maxReadBytes) {
          throw failure("FILE_TOO_LARGE", request, { details: { size, limit: this.#maxReadBytes } });
        }
      }
      const bytes = answer.body.subarray(within, within + size - done);
      // Shorter than it said it is: a file of the kernel, or one that was cut right now.
      if (bytes.length === 0) break;
      if (into === undefined) parts.push(bytes);
      else into.set(bytes, done);
      done += bytes.length;
    } while (done < size);
    const bytes = into === undefined ? Uint8Array.from(Buffer.concat(parts)) : into.subarray(0, done);
    return { bytes, stat };
  }

  async write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteResult> {
    const request = { verb: "write", path };
    const { mode = "replace", permissions, ifMatch, parents = true, signal } = options;
    const target = this.#word(path, "write");
    if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
    const { fields } = await this.#changing(
      "write",
      path,
      bytes,
      (upload) => [
        "write",
        upload,
        mode,
        permissions === undefined ? "-" : (permissions & 0o777).toString(8),
        matched(ifMatch),
        parents ? "1" : "0",
        target,
      ],
      signal,
    );
    return { created: fields[0] === "1", stat: statOf(fields.slice(1)) };
  }

  async append(path: string, bytes: Uint8Array): Promise<WriteResult> {
    const target = this.#word(path, "append to");
    const { fields } = await this.#changing("append to", path, bytes, (upload) => ["append", upload, target]);
    return { created: fields[0] === "1", stat: statOf(fields.slice(1)) };
  }

  async mkdirp(path: string): Promise<string[]> {
    const target = this.#word(path, "create the folder");
    const { body } = await this.#changing("create the folder", path, undefined, () => ["mkdirp", target]);
    return body.toString().split("\0").slice(0, -1);
  }

  async remove(path: string, { ifMatch }: { ifMatch?: string } = {}): Promise<void> {
    const target = this.#word(path, "remove");
    await this.#changing("remove", path, undefined, () => ["remove", matched(ifMatch), target]);
  }

  async rename(
    from: string,
    to: string,
    { ifMatch, replace = false }: { ifMatch?: string; replace?: boolean } = {},
  ): Promise<void> {
    const both = [this.#word(from, "move"), this.#word(to, "move")];
    await this.#changing("move", from, undefined, () => [
      "rename",
      matched(ifMatch),
      replace ? "1" : "0",
      ...both,
    ]);
  }

  /** Absolute, with its `..`: what they mean only the other side can know. */
  #word(path: string, verb: string): string {
    const isRoot = (name: string): boolean => this.#mounts.some((mount) => mount.name === name);
    const { root, components, folder } = parsePath(path, { home: this.#home, isRoot });
    // A shell only says of such a name that there is nothing.
    if (components.some((one) => Buffer.byteLength(one) > 255)) throw failure("INVALID_PATH", { verb, path });
    const mount = this.#mounts.find(({ name }) => name === root);
    const start = root === undefined ? "" : mount!.path.replace(/\/$/, "");
    return word(`${[start, ...components].join("/")}${folder || components.length === 0 ? "/" : ""}`);
  }

  async #looking(verb: string, path: string, op: string, args: readonly string[]): Promise<ShellAnswer> {
    try {
      return checked(await this.#channel.call(op, ...args), { verb, path });
    } catch (thrown) {
      throw lost(thrown, `${verb} ${JSON.stringify(path)}`, "none");
    }
  }

  async #changing(
    verb: string,
    path: string,
    bytes: Uint8Array | undefined,
    call: (upload: string) => [string, ...string[]],
    signal?: AbortSignal,
  ): Promise<ShellAnswer> {
    if (bytes !== undefined && bytes.length > MAX_UPLOAD_BYTES)
      throw failure("FILE_TOO_LARGE", { verb, path });
    try {
      const upload = bytes === undefined ? "" : await this.#channel.upload(bytes, signal);
      if (upload === undefined) throw failure("ABORTED", { verb, path }, { cause: signal?.reason });
      return checked(await this.#channel.call(...call(upload)), { verb, path });
    } catch (thrown) {
      throw lost(thrown, `${verb} ${JSON.stringify(path)}`, "unknown");
    }
  }
}

function matched(version: string | null | undefined): string {
  if (version === null) return "!";
  // One that the shell cannot have given would be read as several words.
  return version === undefined ? "-" : /^[\x21-\x7e]+$/.test(version) ? version : "?";
}

function checked(answer: ShellAnswer, request: { verb: string; path: string }): ShellAnswer {
  if (answer.ok) return answer;
  const code = answer.fields[0] ?? "";
  throw failure(CODES.includes(code) ? (code as FailureCode) : "FILE_SYSTEM_FAILED", request);
}

function lost(thrown: unknown, tried: string, receipt: "none" | "unknown"): unknown {
  if (HaftError.is(thrown) || !(thrown instanceof RunnerError)) return thrown;
  return sandboxLost(tried, thrown.message, thrown.code === "RUNNER_UNAVAILABLE" ? "none" : receipt);
}

const KINDS: Readonly<Record<number, FileStat["type"]>> = { 0o10: "file", 0o4: "directory", 0o12: "symlink" };

function statOf(fields: readonly string[]): FileStat {
  const [mode = "", size, links, mtime, version] = fields;
  const bits = Number.parseInt(mode, 16);
  const stat: FileStat = {
    type: KINDS[bits >> 12] ?? "other",
    size: Number(size),
    mode: bits & 0o7777,
    mtimeMs: Number(mtime) * 1_000,
    version: version ?? "",
    links: Number(links),
  };
  if ([bits, stat.size, stat.links, stat.mtimeMs].every(Number.isFinite)) return stat;
  throw new RunnerError("RUNNER_LOST", "it does not speak as it should");
}
