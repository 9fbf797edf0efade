import { HaftError, getErrorMessage } from "@haft/core";
import type { NetworkAnswer, NetworkRequest } from "@haft/core/kernel";
import { normalizeHost } from "@haft/utils";
import { type IncomingMessage, request as requestOf } from "node:http";
import { isIP } from "node:net";
import { type Duplex, pipeline, type Readable, type Transform } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { workspaceError } from "../errors.ts";
import { type Connect, unreachableError, type Target } from "./addresses.ts";

const MOST_HEAD = 64 * 1024;
const WITH_LENGTH = new Set(["POST", "PUT", "PATCH"]);

/** Uses one connection per request. The certificate must match the host. @throws HaftError `FETCH_FAILED`, errors of `connect` */
export async function exchange(request: NetworkRequest, connect: Connect): Promise<NetworkAnswer> {
  const { signal } = request;
  const url = new URL(request.url);
  const isSecure = url.protocol === "https:";
  const target = { host: normalizeHost(url), port: Number(url.port) || (isSecure ? 443 : 80) };
  signal.throwIfAborted();
  const plain = await connect(target, signal);
  const giveUp = (): void => void plain.destroy();
  signal.addEventListener("abort", giveUp, { once: true });
  const end = (): void => {
    signal.removeEventListener("abort", giveUp);
    plain.destroy();
  };
  try {
    signal.throwIfAborted();
    const stream = isSecure ? await secured(plain, target) : plain;
    const brokenBy = watchEnd(stream);
    const message = await send(request, url, stream);
    return answerOf(message, request.method, { end, brokenBy });
  } catch (thrown) {
    end();
    throw HaftError.is(thrown)
      ? thrown
      : workspaceError("FETCH_FAILED", `${url.host} did not answer: ${whyOf(thrown)}.`, { cause: thrown });
  }
}

function watchEnd(stream: Duplex): () => Error | undefined {
  let broken: Error | undefined;
  stream.on("error", (error) => {
    if (!stream.readableEnded) broken ??= error;
  });
  return () => broken;
}

function secured(plain: Duplex, target: Target): Promise<Duplex> {
  const { host } = target;
  return new Promise((resolve, reject) => {
    const socket = connectSecurely({
      socket: plain,
      // Used only to check the certificate.
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ["http/1.1"],
    });
    const fail = (error: Error): void =>
      reject(unreachableError(target, `TLS failed: ${whyOf(error)}`, error));
    socket.once("error", fail);
    plain.once("close", () => fail(new Error("the connection was closed")));
    socket.once("secureConnect", () => {
      socket.off("error", fail).on("error", () => {});
      resolve(socket);
    });
  });
}

function send({ method, headers, body }: NetworkRequest, url: URL, stream: Duplex): Promise<IncomingMessage> {
  const given = new Set(headers.map(([name]) => name));
  const all = [
    ["host", url.host],
    ...headers,
    ...(given.has("accept") ? [] : [["accept", "*/*"]]),
    ...(given.has("user-agent") ? [] : [["user-agent", "haft"]]),
    // Parts of a compressed body cannot be decompressed.
    ["accept-encoding", given.has("range") ? "identity" : "gzip, br"],
    ...(body !== undefined || WITH_LENGTH.has(method) ? [["content-length", String(body?.length ?? 0)]] : []),
    ["connection", "close"],
  ];
  return new Promise((resolve, reject) => {
    const sent = requestOf({
      createConnection: () => stream,
      method,
      path: `${url.pathname}${url.search}`,
      headers: all.flat(),
      maxHeaderSize: MOST_HEAD,
    });
    sent.once("response", resolve);
    sent.once("upgrade", () => reject(new Error("it switched to another protocol")));
    sent.on("error", reject);
    sent.once("close", () => reject(new Error("the connection was closed")));
    sent.end(body);
  });
}

function answerOf(
  message: IncomingMessage,
  method: string,
  { end, brokenBy }: { end: () => void; brokenBy: () => Error | undefined },
): NetworkAnswer {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const head = { status, statusText, headers: pairsOf(message.rawHeaders) };
  if (method === "HEAD" || status === 204 || status === 304) {
    end();
    return head;
  }
  const { stream, isDecoded } = decoded(message);
  const parts = stream.iterator({ destroyOnReturn: true }) as AsyncIterator<Buffer>;
  const close = (): void => {
    stream.destroy();
    end();
  };
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const part = await parts.next();
        if (part.done === true) {
          // Otherwise Node accepts any end of the connection.
          const broken = hasLength(message) ? undefined : brokenBy();
          if (broken !== undefined) throw broken;
          close();
        }
        return part;
      } catch (thrown) {
        close();
        throw thrown;
      }
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
  return {
    ...head,
    headers: isDecoded
      ? head.headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
      : head.headers,
    body: { [Symbol.asyncIterator]: () => iterator },
  };
}

function hasLength({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || /\bchunked\s*$/i.test(headers["transfer-encoding"] ?? "");
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
}

function whyOf(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  const message = getErrorMessage(thrown).replace(/\.$/, "");
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** Like browsers: a compressed stream may be truncated, a message may not. */
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

/** Decompresses on demand, so the reader limits the size. */
function decoded(message: IncomingMessage): { stream: Readable; isDecoded: boolean } {
  const codings = (message.headers["content-encoding"] ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  const isKnown = codings.length <= MOST_CODINGS && codings.every((coding) => Object.hasOwn(UNPACK, coding));
  message.on("error", () => {});
  if (codings.length === 0 || !isKnown) return { stream: message, isDecoded: false };
  const stages = codings.toReversed().map((coding) => UNPACK[coding]!());
  const last = stages.at(-1)!;
  last.on("error", () => {});
  pipeline([message, ...stages], () => {});
  return { stream: last, isDecoded: true };
}
