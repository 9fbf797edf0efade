import type { FileStat, FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { fileToolError } from "../../errors.ts";
import { isAbsent } from "../../paths/locate.ts";

export interface FileSnapshot {
  bytes: Buffer;
  stat: FileStat;
}

const SLICE_BYTES = 16 * 1024 * 1024;
/** The first read returns the file size. */
const FIRST_BYTES = 2 * 1024 * 1024;

export async function readFileSnapshot(
  fs: FileSystem,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FileSnapshot> {
  const options = withoutUndefined({ signal });
  const first = await fs.read(path, { ...options, length: FIRST_BYTES });
  if (first.stat.size > maxBytes) throw tooLarge(path, first.stat.size, maxBytes);
  if (first.bytes.length >= first.stat.size) return { bytes: toBuffer(first.bytes), stat: first.stat };
  const bytes = Buffer.allocUnsafe(first.stat.size);
  bytes.set(first.bytes);
  let filled = first.bytes.length;
  while (filled < bytes.length) {
    const into = bytes.subarray(filled, filled + SLICE_BYTES);
    const next = await fs.read(path, { ...options, offset: filled, length: into.length, into });
    if (next.stat.version !== first.stat.version || next.bytes.length === 0) throw changedWhileReading(path);
    // A remote file system may return its own buffer.
    if (next.bytes.buffer !== bytes.buffer) bytes.set(next.bytes, filled);
    filled += next.bytes.length;
  }
  return { bytes, stat: first.stat };
}

export async function readSnapshotIfExists(
  fs: FileSystem,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FileSnapshot | undefined> {
  try {
    return await readFileSnapshot(fs, path, maxBytes, signal);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function tooLarge(path: string, size: number, limit: number): HaftError {
  const message = `${path} has ${size} bytes; files up to ${limit} bytes can be changed.`;
  const fix = "Change it with a command that streams it.";
  return fileToolError("FILE_TOO_LARGE", message, { fix, details: { path, size, limit } });
}

function changedWhileReading(path: string): HaftError {
  return fileToolError("FILE_CHANGED", `${path} changed while it was being read.`, {
    details: { path },
    receipt: "none",
  });
}
