import type { hash as Hash } from "node:crypto";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none of anything else. */
export function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** `812 B`, `32 KB`, `1.5 MB`, `2 GB`: 1,024 to the step. */
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

/** Cuts a text to at most `max` characters, the final `…` included, and never inside a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

let hash: typeof Hash | undefined;

/** SHA-256 of a text (as UTF-8) or of bytes. Loads Node's crypto module on first use, because it is slow to load. */
export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex"): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", data, encoding);
}
