/** Text of paths with invalid UTF-8: such a byte becomes a lone surrogate (U+DC80 to U+DCFF). Convert it with {@link nativePath}. */
const FIRST = 0xdc00;
const ESCAPED = /[\uDC80-\uDCFF]/u;
/** Node's replacement for undecodable bytes. */
const REPLACED = "\uFFFD";
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function isUtf8Path(path: string): boolean {
  return !ESCAPED.test(path);
}

export function mayHaveLostBytes(name: string): boolean {
  return name.includes(REPLACED);
}

export function nativePath(path: string): string | Buffer {
  return isUtf8Path(path) ? path : pathToBytes(path);
}

export function pathToBytes(path: string): Buffer {
  if (isUtf8Path(path)) return Buffer.from(path);
  const parts = Array.from(path, (one) => {
    const code = one.codePointAt(0)!;
    return code > FIRST && code <= FIRST + 0xff ? Buffer.from([code - FIRST]) : Buffer.from(one);
  });
  return Buffer.concat(parts);
}

const LONGEST_SHOWN = 200;

/** Escapes control characters and invalid bytes, because commands choose names. */
export function printRawPath(path: string): string {
  const short = path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path;
  return /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(short) ? JSON.stringify(short) : short;
}

export function formatPaths(paths: readonly string[], most: number, count = paths.length): string {
  const names = paths.slice(0, most).map(printRawPath).join(", ");
  return count > most ? `${names} and ${count - most} more` : names;
}

export function pathFromBytes(bytes: Buffer): string {
  const whole = decoded(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes[at]!);
    const one = decoded(bytes.subarray(at, at + length));
    text += one ?? String.fromCharCode(FIRST + bytes[at]!);
    at += one === undefined ? 1 : length;
  }
  return text;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function lengthOf(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
