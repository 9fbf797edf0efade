import type { ReadResult } from "@haft/core";
import type { ReadOptions } from "@haft/core/internal";
import { closeSync, constants, read } from "node:fs";
import { checkAborted, failure, type Request } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import { toFileStat } from "../boundary/walk/file-stat.ts";
import {
  checkHardLinks,
  inspectTarget,
  openFile,
  type OpenFile,
  readNow,
} from "../boundary/walk/open-file.ts";
import { fromCallback } from "./flush.ts";

/** A synchronous read takes less than a millisecond. Larger reads use the thread pool. */
export const SLICE_BYTES = 4 * 1024 * 1024;

/** Files of `/proc` and similar report a size of 0. */
const UNSIZED_BYTES = 64 * 1024;

export async function readFile(
  host: BoundaryHost,
  request: Request,
  options: ReadOptions,
): Promise<ReadResult> {
  checkAborted(options.signal, request);
  const { location, stats } = inspectTarget(host.walk, request);
  const file = openFile(location, stats, constants.O_RDONLY, request);
  try {
    checkHardLinks(host, location, file.stats, request);
    const offset = options.offset ?? 0;
    const target = bufferFor(file, offset, host, request, options);
    const length =
      target.length <= SLICE_BYTES
        ? readNow(file.fd, target, offset)
        : await readSliced(file.fd, target, offset, () => checkAborted(options.signal, request));
    return { bytes: target.subarray(0, length), stat: toFileStat(file.stats) };
  } finally {
    closeSync(file.fd);
  }
}

function bufferFor(
  { stats }: OpenFile,
  offset: number,
  host: BoundaryHost,
  request: Request,
  { length = Number.POSITIVE_INFINITY, into }: ReadOptions,
): Uint8Array {
  const size = stats.size === 0n ? UNSIZED_BYTES : Number(stats.size);
  const wanted = Math.min(length, Math.max(0, size - offset));
  if (into !== undefined) return into.subarray(0, wanted);
  if (wanted > host.maxReadBytes) {
    throw failure("FILE_TOO_LARGE", request, {
      why: `it has ${wanted} bytes, and one read is limited to ${host.maxReadBytes}`,
      details: { size, maxReadBytes: host.maxReadBytes },
    });
  }
  return Buffer.allocUnsafe(wanted);
}

async function readSliced(
  fd: number,
  target: Uint8Array,
  offset: number,
  check: () => void,
): Promise<number> {
  let done = 0;
  while (done < target.length) {
    check();
    const length = Math.min(SLICE_BYTES, target.length - done);
    const at = done;
    const count = await fromCallback<number>((answer) => read(fd, target, at, length, offset + at, answer));
    if (count === 0) break;
    done += count;
  }
  return done;
}
