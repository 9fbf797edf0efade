import { encodeKey, type KeyModes } from "./encode-key.ts";

export interface KeyInput {
  /** Sent as it is, first. */
  literal?: string | undefined;
  /** Bytes in hexadecimal, sent next. */
  hex?: readonly string[] | undefined;
  /** Names of keys, sent last. */
  keys?: readonly string[] | undefined;
}

export interface EncodedInput {
  /** To be sent one after the other, with a pause between them. */
  parts: Uint8Array[];
  warnings: string[];
}

const ESCAPE = "\u001b";
const HEX = /^(?:0x)?((?:[0-9a-f]{2})+)$/i;

/**
 * Everything a call wants to type, in this order: literal, hex, keys. After an escape key comes a pause, because
 * programs take escape and what follows at once for one key.
 */
export function encodeInput({ literal = "", hex = [], keys = [] }: KeyInput, modes: KeyModes): EncodedInput {
  const warnings: string[] = [];
  const parts: Uint8Array[] = [];
  let pending: Uint8Array[] = [Buffer.from(literal)];
  for (const token of hex.flatMap((one) => one.trim().split(/[\s,]+/))) {
    const digits = HEX.exec(token)?.[1];
    if (digits === undefined)
      warnings.push(`${JSON.stringify(token)} is no hexadecimal byte and was left out.`);
    else pending.push(Buffer.from(digits, "hex"));
  }
  for (const key of keys) {
    const { bytes, warning } = encodeKey(key, modes);
    if (warning !== undefined) warnings.push(warning);
    pending.push(Buffer.from(bytes));
    if (bytes !== ESCAPE) continue;
    parts.push(Buffer.concat(pending));
    pending = [];
  }
  parts.push(Buffer.concat(pending));
  return { parts: parts.filter(({ length }) => length > 0), warnings };
}
