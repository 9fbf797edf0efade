import { sha256 } from "@haft/core/internal";
import { type FileSystem, HaftError } from "@haft/plugin-sdk";
import { readWhole } from "../changes/text/read-whole.ts";
import { decodeFile, MOST_DECODED_BYTES } from "../content/codecs.ts";
import { bomLength } from "../content/encoding.ts";
import { FileWindow } from "../lines/file-window.ts";
import { LineIndex } from "../lines/line-index.ts";
import { lineEndOf, type Scanner, SLICE_BYTES } from "../lines/scanner.ts";
import { type PageRequest, readTextPage, type TextPage } from "./text-page.ts";

/**
 * One page of a file in another encoding than UTF-8, which is decoded as a whole; `undefined` when none is found that
 * it would be in, or it is too large for that.
 */
export async function readEncoded(
  fs: FileSystem,
  request: PageRequest,
  scanner: Scanner,
  signal: AbortSignal,
): Promise<TextPage | undefined> {
  const { path } = request;
  const file = await readWhole(fs, path, MOST_DECODED_BYTES, signal).catch(ignoreTooLarge);
  const decoded = file && decodeFile(file.bytes);
  if (decoded === undefined) return undefined;
  const { bytes, stat } = file!;
  const { text, encoding, guessed } = decoded;
  const shown: Pick<FileSystem, "read"> = {
    read: async (_, { offset = 0, length = text.length } = {}) => ({
      bytes: text.subarray(offset, offset + length),
      stat: { ...stat, size: text.length },
    }),
  };
  const window = new FileWindow({ fs: shown, path, scanner, signal, version: stat.version, tolerant: true });
  await window.load(0, SLICE_BYTES);
  const index = new LineIndex(stat.version, bomLength(text), lineEndOf(text.subarray(0, SLICE_BYTES)));
  index.add(scanner, 0, window.end, window.atEnd || window.end < SLICE_BYTES);
  const page = await readTextPage({ window, index, request });
  const hash = page.hash === undefined ? {} : { hash: sha256(bytes) };
  return { ...page, stat, ...hash, encoding: { encoding, guessed } };
}

function ignoreTooLarge(error: unknown): undefined {
  if (HaftError.is(error) && error.code === "FILE_TOO_LARGE") return undefined;
  throw error;
}
