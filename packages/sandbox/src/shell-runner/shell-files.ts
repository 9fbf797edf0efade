import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  type Mount,
  type WriteResult,
  HaftError,
} from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { parsePath } from "@haft/workspace/internal/boundary";
import type { FailureCode, FileRequest } from "@haft/workspace/internal/wire";
import {
  failure,
  sandboxLostError,
  DEFAULT_LIST_LIMIT,
  MAX_UPLOAD_BYTES,
} from "@haft/workspace/internal/wire";
import { type ShellAnswer, type ShellChannel, encodeShellWord } from "./shell-channel.ts";

/** Reads begin at multiples of this size, so that the shell can seek. */
export const BLOCK_BYTES = 64 * 1024;
export const SLICE_BLOCKS = 16;

const CODES: readonly string[] = [
  "OUTSIDE_WORKSPACE",
  "READ_ONLY",
  "root-pinned",
  "HARD_LINKED",
  "FILE_NOT_FOUND",
  "FILE_EXISTS",
  "FILE_CHANGED",
  "NOT_A_FILE",
  "IS_DIRECTORY",
  "NOT_A_DIRECTORY",
  "not-empty",
  "link-loop",
  "INVALID_PATH",
  "cross-device",
  "ACCESS_DENIED",
  "DISK_FULL",
  "file-busy",
  "SESSION_LEASE_LOST",
] satisfies FailureCode[];

const TYPES: Readonly<Record<string, DirectoryEntry["type"]>> = { f: "file", d: "directory", l: "symlink" };

/** A folder that is replaced with a link after the check escapes it. The sandbox still contains it. */
export function createShellFileSystem(
  channel: ShellChannel,
  { mounts, home, maxReadBytes }: { mounts: readonly Mount[]; home: string; maxReadBytes: number },
): FileSystem {
  const isRoot = (name: string): boolean => mounts.some((mount) => mount.name === name);
  /** Keeps `..`, which only the other side can resolve. */
  const wordOf = (path: string, verb: string): string => {
    const { root, components, folder } = parsePath(path, { home, isRoot });
    // The shell would report a missing file.
    if (components.some((one) => Buffer.byteLength(one) > 255)) throw failure("INVALID_PATH", { verb, path });
    const mount = mounts.find(({ name }) => name === root);
    const start = root === undefined ? "" : mount!.path.replace(/\/$/, "");
    return encodeShellWord(
      `${[start, ...components].join("/")}${folder || components.length === 0 ? "/" : ""}`,
    );
  };
  const query = async (request: FileRequest, op: string, args: readonly string[]): Promise<ShellAnswer> => {
    try {
      return checked(await channel.call(op, ...args), request);
    } catch (thrown) {
      throw lost(thrown, request, "none");
    }
  };
  const change = async (
    request: FileRequest,
    call: (upload: string) => [string, ...string[]],
    { bytes, signal, fence }: { bytes?: Uint8Array; signal?: AbortSignal; fence?: Fence },
  ): Promise<ShellAnswer> => {
    if (bytes !== undefined && bytes.length > MAX_UPLOAD_BYTES) throw failure("FILE_TOO_LARGE", request);
    try {
      const upload = bytes === undefined ? "" : await channel.upload(bytes, signal);
      if (upload === undefined) throw failure("ABORTED", request, { cause: signal?.reason });
      return checked(await channel.callWithFence(fence, ...call(upload)), request);
    } catch (thrown) {
      throw lost(thrown, request, "unknown");
    }
  };
  return {
    async stat(path, { follow = true } = {}) {
      const request = { verb: "look at", path };
      const args = [follow ? "1" : "0", wordOf(path, request.verb)];
      const { fields } = await query(request, "stat", args).catch((thrown: unknown) => {
        if (HaftError.is(thrown) && ["NOT_A_DIRECTORY", "FILE_NOT_FOUND"].includes(thrown.code))
          return { fields: ["-"] };
        throw thrown;
      });
      return fields[0] === "-" ? undefined : statOf(fields);
    },
    async realpath(path) {
      const verb = "resolve";
      return (await query({ verb, path }, "realpath", [wordOf(path, verb)])).body.toString();
    },
    async list(path, { limit = DEFAULT_LIST_LIMIT } = {}) {
      const verb = "list";
      const { fields, body } = await query({ verb, path }, "list", [String(limit), wordOf(path, verb)]);
      const entries = namesIn(body).map((one): DirectoryEntry => {
        return { name: one.slice(1), type: TYPES[one[0]!] ?? "other" };
      });
      return { entries, truncated: fields[0] === "1" };
    },
    async read(path, { offset = 0, length = Infinity, into, signal } = {}) {
      const request = { verb: "read", path };
      const wanted = Math.min(length, into?.length ?? Infinity);
      const parts: Buffer[] = [];
      let stat: FileStat | undefined;
      let done = 0;
      let size = wanted;
      do {
        if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
        const from = offset + done;
        const skip = Math.floor(from / BLOCK_BYTES);
        const within = from - skip * BLOCK_BYTES;
        const left = Math.ceil((within + Math.min(size - done, 2 ** 40)) / BLOCK_BYTES);
        const most = stat === undefined && wanted > maxReadBytes ? 1 : SLICE_BLOCKS;
        const args = [String(skip), String(Math.min(most, left)), wordOf(path, request.verb)];
        const answer = await query(request, "read", args);
        const now = statOf(answer.fields);
        if (stat !== undefined && now.version !== stat.version) throw failure("FILE_CHANGED", request);
        if (stat === undefined) {
          stat = now;
          size = Math.min(wanted, Math.max(0, now.size - offset));
          if (into === undefined && size > maxReadBytes)
            throw failure("FILE_TOO_LARGE", request, { details: { size, limit: maxReadBytes } });
        }
        const bytes = answer.body.subarray(within, within + size - done);
        // A file of the kernel, or a truncated file.
        if (bytes.length === 0) break;
        if (into === undefined) parts.push(bytes);
        else into.set(bytes, done);
        done += bytes.length;
      } while (done < size);
      const bytes = into === undefined ? Uint8Array.from(Buffer.concat(parts)) : into.subarray(0, done);
      return { bytes, stat };
    },
    async write(path, bytes, { mode = "replace", permissions, ifMatch, parents = true, signal, fence } = {}) {
      const request = { verb: "write", path };
      const target = wordOf(path, request.verb);
      if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
      const rights = permissions === undefined ? "-" : (permissions & 0o777).toString(8);
      const how = [mode, rights, matched(ifMatch), parents ? "1" : "0", target];
      return writtenOf(
        await change(
          request,
          (upload) => ["write", upload, ...how],
          withoutUndefined({ bytes, signal, fence }),
        ),
      );
    },
    async append(path, bytes, options = {}) {
      const request = { verb: "append to", path };
      const target = wordOf(path, request.verb);
      return writtenOf(await change(request, (upload) => ["append", upload, target], { ...options, bytes }));
    },
    async mkdirp(path, options = {}) {
      const request = { verb: "create the folder", path };
      const target = wordOf(path, request.verb);
      return namesIn((await change(request, () => ["mkdirp", target], options)).body);
    },
    async remove(path, { ifMatch, ...options } = {}) {
      const request = { verb: "remove", path };
      const target = wordOf(path, request.verb);
      await change(request, () => ["remove", matched(ifMatch), target], options);
    },
    async rename(from, to, { ifMatch, replace = false, ...options } = {}) {
      const request = { verb: "move", path: from };
      const both = [from, to].map((path) => wordOf(path, request.verb));
      await change(request, () => ["rename", matched(ifMatch), replace ? "1" : "0", ...both], options);
    },
  };
}

function namesIn(body: Buffer): string[] {
  return body.toString().split("\0").slice(0, -1);
}

function writtenOf({ fields: [created, ...stat] }: ShellAnswer): WriteResult {
  return { created: created === "1", stat: statOf(stat) };
}

function matched(version: string | null | undefined): string {
  if (version === null) return "!";
  // Other text would be read as several words.
  return version === undefined ? "-" : /^[\x21-\x7e]+$/.test(version) ? version : "?";
}

function checked(answer: ShellAnswer, request: FileRequest): ShellAnswer {
  if (answer.ok) return answer;
  const code = answer.fields[0] ?? "";
  throw failure(CODES.includes(code) ? (code as FailureCode) : "FILE_SYSTEM_FAILED", request);
}

function lost(thrown: unknown, { verb, path }: FileRequest, receipt: "none" | "unknown"): unknown {
  if (HaftError.is(thrown) || !(thrown instanceof RunnerError)) return thrown;
  const left = thrown.code === "RUNNER_UNAVAILABLE" ? "none" : receipt;
  return sandboxLostError(`${verb} ${JSON.stringify(path)}`, thrown.message, left);
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
  throw new RunnerError("RUNNER_LOST", "it violates the protocol");
}
