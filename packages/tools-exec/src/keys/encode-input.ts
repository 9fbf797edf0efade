import type { KeyModes } from "./encode-key.ts";
import { encodeKey } from "./encode-key.ts";

export interface KeyInput {
  /** Sent as it is, first. */
  literal?: string | undefined;
  /** Bytes in hexadecimal, sent next. */
  hex?: readonly string[] | undefined;
  /** Names of keys, sent last. */
  keys?: readonly string[] | undefined;
}

export interface EncodedInput {
  bytes: Uint8Array;
  warnings: string[];
}

const HEX = /^(?:0x)?((?:[0-9a-f]{2})+)$/i;

/** Everything a call wants to type, in this order: literal, hex, keys. */
export function encodeInput({ literal = "", hex = [], keys = [] }: KeyInput, modes: KeyModes): EncodedInput {
  const warnings: string[] = [];
  const parts: Uint8Array[] = [Buffer.from(literal)];
  for (const token of hex.flatMap((one) => one.trim().split(/[\s,]+/))) {
    const digits = HEX.exec(token)?.[1];
    if (digits === undefined)
      warnings.push(`${JSON.stringify(token)} is no hexadecimal byte and was left out.`);
    else parts.push(Buffer.from(digits, "hex"));
  }
  for (const key of keys) {
    const { bytes, warning } = encodeKey(key, modes);
    if (warning !== undefined) warnings.push(warning);
    parts.push(Buffer.from(bytes));
  }
  return { bytes: Buffer.concat(parts), warnings };
}
