import { read } from "node:fs";

/** Bytes. Agents send whole files. */
const LARGEST = 64 * 1024 * 1024;
/** Limits attempts to parse: some clients never close the pipe. */
const MAX_ATTEMPTS = 16;

/**
 * Reads until the end or one complete JSON object. A stream would load slowly.
 *
 * @throws Error if the payload is too large or not UTF-8
 *
 * @example
 * ```ts
 * import { readInput } from "@haft/guard/internal/hook";
 * const payload: unknown = JSON.parse(await readInput());
 * ```
 */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  let attempts = 0;
  for (;;) {
    const chunk = await readSome();
    size += chunk.length;
    if (size > LARGEST) throw new Error(`the payload is larger than ${LARGEST / 1024 / 1024} MB`);
    chunks.push(chunk);
    if (chunk.length > 0 && !(endsObject(chunk) && attempts++ < MAX_ATTEMPTS)) continue;
    const text = new TextDecoder("utf-8", { fatal: true });
    if (chunk.length === 0) return text.decode(Buffer.concat(chunks));
    const whole = wholeObject(text, Buffer.concat(chunks));
    if (whole !== undefined) return whole;
  }
}

function endsObject(chunk: Buffer): boolean {
  let at = chunk.length - 1;
  while (at > 0 && chunk[at]! <= 0x20) at--;
  return chunk[at] === 0x7d;
}

function wholeObject(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    const text = decoder.decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

async function readSome(): Promise<Buffer> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    try {
      return chunk.subarray(0, await readInto(chunk));
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EOF") return chunk.subarray(0, 0);
      // Some agents pass a non-blocking pipe.
      if (code !== "EAGAIN") throw thrown;
      await new Promise((resolve) => void setTimeout(resolve, 2));
    }
  }
}

function readInto(chunk: Buffer): Promise<number> {
  return new Promise((resolve, reject) =>
    read(0, chunk, 0, chunk.length, null, (error, length) => (error ? reject(error) : resolve(length))),
  );
}
