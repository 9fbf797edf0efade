import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Default limit of {@link readRegularFile}, in bytes. */
const DEFAULT_LARGEST = 1024 * 1024;
const CHUNK = 64 * 1024;

/** Controls {@link readRegularFile}. */
export interface RegularFileOptions {
  /** Limits the size, in bytes. A larger file is an error. Default: 1 MiB. */
  maxBytes?: number;
  /** Follows a symbolic link at the end of the path, for files that only a person writes. Default: false. */
  followLink?: boolean;
  /** Runs before the read. If it throws, the file is not read. */
  check?: (stats: Stats) => void;
}

/** Explains why a file was not read: a symbolic link, another type, or the size. */
export type IrregularFileReason = "link" | "type" | "size";

/**
 * The error of {@link readRegularFile} for anything but a regular file of a permitted size.
 *
 * @example
 * ```ts run
 * import { IrregularFileError, readRegularFile } from "@haft/system";
 * try {
 *   readRegularFile(".");
 * } catch (thrown) {
 *   if (thrown instanceof IrregularFileError && thrown.reason === "type") console.log(thrown.message);
 * }
 * ```
 */
export class IrregularFileError extends Error {
  /** Names the class. */
  override readonly name = "IrregularFileError";
  /** Explains the refusal. */
  readonly reason: IrregularFileReason;
  /** Contains the path as given. */
  readonly path: string;

  /** @param description Ends a sentence that starts with the path: `is a folder`. */
  constructor(path: string | Buffer, reason: IrregularFileReason, description: string) {
    super(`${path.toString()} ${description}`);
    this.reason = reason;
    this.path = path.toString();
  }
}

/**
 * Reads a file that another program or person may have written. It never waits for a pipe or device, follows no symbolic link at the end of
 * the path, and reads a bounded number of bytes.
 *
 * @param path Folders on the way may be symbolic links.
 * @throws IrregularFileError for anything but a regular file of a permitted size
 * @throws NodeJS.ErrnoException the system's error, for example `ENOENT`
 * @example
 * ```ts run
 * import { writeFileSync } from "node:fs";
 * import { readRegularFile } from "@haft/system";
 * writeFileSync("record.json", "{}");
 * readRegularFile("record.json", { maxBytes: 64 * 1024 }).toString("utf8"); // => "{}"
 * ```
 */
export function readRegularFile(path: string | Buffer, options: RegularFileOptions = {}): Buffer {
  const { maxBytes = DEFAULT_LARGEST, followLink = false, check } = options;
  const file = openToRead(path, followLink);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw wrongType(path, stats);
    check?.(stats);
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
    return readBounded(file, path, stats.size, maxBytes);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file as {@link readRegularFile} does, without waiting for a pipe or following a link. The caller bounds the read bytes and closes
 * the file.
 *
 * @throws IrregularFileError for anything but a regular file
 * @throws NodeJS.ErrnoException the system's error, for example `ENOENT`
 * @example
 * ```ts
 * import { openRegularFile } from "@haft/system";
 * const file = await openRegularFile("uploads/large.log");
 * const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024));
 * await file.close();
 * ```
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, READ_FLAGS | constants.O_NOFOLLOW).catch((thrown: unknown) => {
    throw irregularOr(thrown, path, false);
  });
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  throw wrongType(path, stats);
}

/** Reads to the end. The reported size is only a hint: a file may grow, and in `/proc` it is 0. */
function readBounded(file: number, path: string | Buffer, size: number, largest: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    // One extra byte reveals a file that is too large.
    const wanted = Math.min(largest - total + 1, Math.max(CHUNK, size - total + 1));
    const chunk = Buffer.allocUnsafe(wanted);
    const length = readSync(file, chunk, 0, wanted, null);
    if (length === 0) break;
    total += length;
    if (total > largest) throw tooLarge(path, largest);
    chunks.push(chunk.subarray(0, length));
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
}

function openToRead(path: string | Buffer, followLink: boolean): number {
  const link = followLink ? 0 : constants.O_NOFOLLOW;
  // Systems without this flag follow links.
  if (link === undefined && lstatSync(path).isSymbolicLink()) throw isLink(path);
  try {
    return openSync(path, READ_FLAGS | link);
  } catch (thrown) {
    throw irregularOr(thrown, path, followLink);
  }
}

const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function irregularOr(thrown: unknown, path: string | Buffer, followLink: boolean): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  if (!followLink && (code === "ELOOP" || code === "EMLINK")) return isLink(path);
  if (code === "ENXIO")
    return new IrregularFileError(path, "type", "is a socket or a device, not a regular file");
  return thrown;
}

function wrongType(path: string | Buffer, stats: Stats): IrregularFileError {
  return new IrregularFileError(path, "type", `is ${typeName(stats)}, not a regular file`);
}

function isLink(path: string | Buffer): IrregularFileError {
  return new IrregularFileError(path, "link", "is a symbolic link");
}

function tooLarge(path: string | Buffer, largest: number): IrregularFileError {
  return new IrregularFileError(path, "size", `is larger than ${largest} bytes`);
}

function typeName(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  return stats.isFIFO() ? "a pipe" : "a device";
}
