import type { hash as Hash } from "node:crypto";

/**
 * Returns whether a value is an object that is neither `null` nor an array.
 *
 * @example
 * ```ts run
 * import { isObject } from "@haft/utils";
 * isObject({ tool: "read_file" }); // => true
 * isObject(["read_file"]); // => false
 * ```
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns an object unchanged, and an empty object for any other value.
 *
 * @example
 * ```ts run
 * import { asRecord } from "@haft/utils";
 * const input: unknown = JSON.parse('{ "path": "src/index.ts" }');
 * asRecord(input)["path"]; // => "src/index.ts"
 * asRecord("text")["path"]; // => undefined
 * ```
 */
export function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/**
 * Formats a number of bytes for people, with units of 1,024. Values below ten have one decimal place.
 *
 * @example
 * ```ts run
 * import { formatBytes } from "@haft/utils";
 * formatBytes(812); // => "812 B"
 * formatBytes(1_572_864); // => "1.5 MB"
 * ```
 */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

/**
 * Cuts a text to at most `max` characters (UTF-16 units), including the final `…`, never inside of a surrogate pair.
 *
 * @example
 * ```ts run
 * import { truncate } from "@haft/utils";
 * truncate("packages/core/src/index.ts", 13); // => "packages/cor…"
 * ```
 */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

let hash: typeof Hash | undefined;

/**
 * Returns the SHA-256 of a text (as UTF-8) or of bytes. Node's crypto module loads slowly, at the first use.
 *
 * @param encoding Of the result. Default `hex`.
 * @example
 * ```ts run
 * import { sha256 } from "@haft/utils";
 * sha256("haft").slice(0, 8); // => "0da85094"
 * sha256(new Uint8Array(), "base64url"); // => "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
 * ```
 */
export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex"): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", data, encoding);
}
