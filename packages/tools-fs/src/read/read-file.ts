import { type FileStat, type FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined, formatBytes, sha256 } from "@haft/utils";
import { readFileSnapshot } from "../changes/text/file-snapshot.ts";
import { decodeForReading, MAX_DECODED_BYTES } from "../content/codecs.ts";
import { type ContentKind, detectContentKind, bomLength } from "../content/encoding.ts";
import type { FileType } from "../content/file-type.ts";
import { fileToolError } from "../errors.ts";
import { getImageType, isShownImage } from "../images/image-facts.ts";
import { FileMoved, FileWindow } from "../lines/file-window.ts";
import { LineIndex } from "../lines/line-index.ts";
import { createScanner, detectLineEnd, type Scanner, SCAN_SLICE_BYTES } from "../lines/scanner.ts";
import { type PageRequest, readTextPage, type ReadPage } from "./text-page.ts";

/** For smaller files, scanning is cheaper than an index. */
const INDEX_FROM_BYTES = 256 * 1024;
/** After this many changes during a read, the file is read without consistency. */
const MOST_RESTARTS = 2;

type FileContent = { kind: "text"; page: ReadPage } | { kind: "image"; type: FileType; stat: FileStat };

/** Counts lines once: an index per file version makes every later page one small read. */
export function readFilePage(
  fs: FileSystem,
  request: PageRequest,
  signal: AbortSignal,
): Promise<FileContent> {
  const state = readState(fs);
  const { path } = request;
  return state.withScanner(async (scanner) => {
    const otherwise = async (error: unknown): Promise<ReadPage> => {
      const encoded = HaftError.is(error) && error.code === "UNSUPPORTED_ENCODING";
      if (!encoded) throw error;
      const page = await readEncoded(fs, request, scanner, signal);
      if (page !== undefined) return page;
      if (request.marksInvalid === true) throw error;
      const marked = await readFilePage(fs, { ...request, marksInvalid: true }, signal);
      if (marked.kind !== "text") throw error;
      return marked.page;
    };
    for (let restarts = 0; ; restarts += 1) {
      const known = state.index(path);
      const tolerant = restarts > MOST_RESTARTS;
      const window = new FileWindow({ fs, path, scanner, signal, version: known?.version, tolerant });
      try {
        if (known === undefined) return await readUnknown(window, state, request);
        return { kind: "text", page: await readTextPage({ window, index: known, request }) };
      } catch (error) {
        if (!(error instanceof FileMoved)) return { kind: "text", page: await otherwise(error) };
        state.forget(path);
      }
    }
  });
}

async function readUnknown(window: FileWindow, state: ReadState, request: PageRequest): Promise<FileContent> {
  await window.load(0, SCAN_SLICE_BYTES);
  const stat = window.stat as FileStat;
  const beginning = window.scanner.buffer.subarray(0, window.end);
  const content = detectContentKind(beginning);
  if (content.kind === "typed" && isShownImage(content.type.mimeType)) {
    return { kind: "image", type: content.type, stat };
  }
  const claimed = getImageType(request.path);
  if (claimed !== undefined) throw noImage(request.path, claimed, content, stat.size);
  if (content.kind !== "text") throw notText(request.path, stat.size, content);

  const index = new LineIndex(stat.version, content.bom ? 3 : 0, detectLineEnd(beginning));
  index.add(window.scanner, 0, window.end, window.atEnd || window.end < SCAN_SLICE_BYTES);
  const page = await readTextPage({ window, index, request });
  if (stat.size >= INDEX_FROM_BYTES && !page.changed) state.keep(request.path, index);
  return { kind: "text", page };
}

function notText(path: string, size: number, content: Exclude<ContentKind, { kind: "text" }>): HaftError {
  if (content.kind === "encoded") {
    const encoding = content.encoding.toUpperCase();
    const message = `${path} is ${encoding} text (${formatBytes(size)}), which cannot be read directly.`;
    return fileToolError("UNSUPPORTED_ENCODING", message, {
      fix: `Convert a copy to UTF-8 first, for example: iconv -f ${encoding} -t UTF-8 FILE.`,
      details: { path, size, encoding: content.encoding },
    });
  }
  const name = content.kind === "typed" ? content.type.name : "unknown format";
  const isImage = content.kind === "typed" && content.type.mimeType.startsWith("image/");
  return fileToolError(
    "BINARY_FILE",
    `${path} is a binary file (${name}, ${formatBytes(size)}); its bytes are not shown.`,
    {
      fix: isImage
        ? "Convert a copy to PNG and read the copy; png, jpeg, gif and webp are shown."
        : "Inspect it with a program for its format, or read its source text.",
      details: withoutUndefined<Record<string, unknown>>({
        path,
        size,
        encoding: "binary",
        mimeType: content.kind === "typed" ? content.type.mimeType : undefined,
      }),
    },
  );
}

function noImage(path: string, claimed: string, content: ContentKind, size: number): HaftError {
  if (size === 0) {
    return fileToolError("IMAGE_INVALID", `read: image payload is empty (${path})`, {
      fix: "Create the image again: this file is empty.",
      details: { path, mimeType: claimed },
    });
  }
  const actual =
    content.kind === "text" ? "text/plain" : content.kind === "typed" ? content.type.mimeType : OCTETS;
  const message = `read: file looks like ${actual} but was treated as ${claimed} (${path})`;
  const fix = "Give a copy the extension of its content, and read the copy.";
  return fileToolError("IMAGE_INVALID", message, { fix, details: { path, mimeType: actual, claimed } });
}

const OCTETS = "application/octet-stream";

const MOST_INDEXES = 64;
/** Limits scanners of one file system. Further reads wait. */
const MOST_SCANNERS = 4;
const MOST_IDLE = 2;

const idle: Scanner[] = [];

class ReadState {
  private readonly indexes = new Map<string, LineIndex>();
  private inUse = 0;
  private readonly waiting: (() => void)[] = [];

  index(path: string): LineIndex | undefined {
    const found = this.indexes.get(path);
    if (found !== undefined) this.keep(path, found);
    return found;
  }

  keep(path: string, index: LineIndex): void {
    this.indexes.delete(path);
    this.indexes.set(path, index);
    if (this.indexes.size > MOST_INDEXES) this.indexes.delete(this.indexes.keys().next().value as string);
  }

  forget(path: string): void {
    this.indexes.delete(path);
  }

  async withScanner<T>(use: (scanner: Scanner) => Promise<T>): Promise<T> {
    while (this.inUse >= MOST_SCANNERS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.inUse += 1;
    const scanner = idle.pop() ?? createScanner();
    try {
      return await use(scanner);
    } finally {
      this.inUse -= 1;
      if (idle.length < MOST_IDLE) idle.push(scanner);
      this.waiting.shift()?.();
    }
  }
}

const states = new WeakMap<FileSystem, ReadState>();

function readState(fs: FileSystem): ReadState {
  let state = states.get(fs);
  if (state === undefined) states.set(fs, (state = new ReadState()));
  return state;
}

/** Decodes the whole file. `undefined` if the encoding is unknown or the file too large. */
async function readEncoded(
  fs: FileSystem,
  request: PageRequest,
  scanner: Scanner,
  signal: AbortSignal,
): Promise<ReadPage | undefined> {
  const { path } = request;
  const file = await readFileSnapshot(fs, path, MAX_DECODED_BYTES, signal).catch(ignoreTooLarge);
  const decoded = file && decodeForReading(file.bytes);
  if (decoded === undefined) return undefined;
  const { bytes, stat } = file!;
  const { text, encoding, guessed, damaged } = decoded;
  const shown: Pick<FileSystem, "read"> = {
    read: async (_, { offset = 0, length = text.length } = {}) => ({
      bytes: text.subarray(offset, offset + length),
      stat: { ...stat, size: text.length },
    }),
  };
  const window = new FileWindow({ fs: shown, path, scanner, signal, version: stat.version, tolerant: true });
  await window.load(0, SCAN_SLICE_BYTES);
  const index = new LineIndex(
    stat.version,
    bomLength(text),
    detectLineEnd(text.subarray(0, SCAN_SLICE_BYTES)),
  );
  index.add(scanner, 0, window.end, window.atEnd || window.end < SCAN_SLICE_BYTES);
  const page = await readTextPage({ window, index, request });
  const hash = page.hash === undefined ? {} : { hash: sha256(bytes) };
  return { ...page, stat, ...hash, encoding: { encoding, guessed }, ...(damaged && { damaged }) };
}

function ignoreTooLarge(error: unknown): undefined {
  if (HaftError.is(error) && error.code === "FILE_TOO_LARGE") return undefined;
  throw error;
}
