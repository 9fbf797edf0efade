import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** As browsers have it: the end of what is packed may be missing, that of the message may not. */
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  "x-gzip": () => createGunzip(LENIENT),
  deflate: () => createInflate(LENIENT),
  br: () =>
    createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    }),
};
const MOST_CODINGS = 3;

/**
 * The body of a message as it was before it was packed. How large that gets is for its reader to bound: no more is unpacked
 * than is read.
 */
export function decoded(message: IncomingMessage): { stream: Readable; isDecoded: boolean } {
  const codings = (message.headers["content-encoding"] ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  const isKnown = codings.length <= MOST_CODINGS && codings.every((coding) => Object.hasOwn(UNPACK, coding));
  // What breaks off is told to whoever reads it.
  message.on("error", () => {});
  if (codings.length === 0 || !isKnown) return { stream: message, isDecoded: false };
  const stages = codings.toReversed().map((coding) => UNPACK[coding]!());
  const last = stages.at(-1)!;
  last.on("error", () => {});
  pipeline([message, ...stages], () => {});
  return { stream: last, isDecoded: true };
}
