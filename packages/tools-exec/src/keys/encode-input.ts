import type { HaftError } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import { encodeKey, type KeyModes } from "./encode-key.ts";
import { KEY_NAMES } from "./named-keys.ts";

export interface KeyInput {
  literal?: string | undefined;
  hex?: readonly string[] | undefined;
  keys?: readonly string[] | undefined;
}

interface EncodedInput {
  /** Sent with a pause between the parts. */
  parts: Uint8Array[];
  warnings: string[];
}

const ESCAPE = "\u001b";
const HEX = /^(?:0x)?((?:[0-9a-f]{2})+)$/i;

/**
 * Encodes all input of a call: literal, hex, keys. A pause follows an escape key, because programs join escape and the next bytes to one
 * key.
 *
 * @throws `INVALID_ARGUMENTS`, before anything is sent
 */
export function encodeInput({ literal = "", hex = [], keys = [] }: KeyInput, modes: KeyModes): EncodedInput {
  const warnings: string[] = [];
  const parts: Uint8Array[] = [];
  let pending: Uint8Array[] = [Buffer.from(literal)];
  for (const token of hex.flatMap((one) => one.trim().split(/[\s,]+/))) {
    const digits = HEX.exec(token)?.[1];
    if (digits === undefined)
      warnings.push(`${JSON.stringify(token)} is not a hexadecimal byte and was ignored.`);
    else pending.push(Buffer.from(digits, "hex"));
  }
  for (const key of keys) {
    const bytes = encodeKey(key, modes);
    if (bytes === undefined) throw unknownKey(key);
    pending.push(Buffer.from(bytes));
    if (bytes !== ESCAPE) continue;
    parts.push(Buffer.concat(pending));
    pending = [];
  }
  parts.push(Buffer.concat(pending));
  return { parts: parts.filter(({ length }) => length > 0), warnings };
}

function unknownKey(key: string): HaftError {
  const message = `${JSON.stringify(key.slice(0, 80))} is an unknown key, so nothing was sent.`;
  const fix =
    `Each entry of keys is one key: ${KEY_NAMES.join(", ")}, kp0 to kp9, or one character; with C- (control), M- (alt) ` +
    "or S- (shift) as a prefix, as in C-c. Text goes into literal, other bytes into hex.";
  return commandToolError("INVALID_ARGUMENTS", message, { fix });
}
