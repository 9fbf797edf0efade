import { getErrorMessage } from "@haft/core";
import { adapterError } from "../errors.ts";

/**
 * Big integers, maps, sets, bytes, errors and circles get the nearest form.
 *
 * @throws `BRIDGED_TOOL_FAILED` for an unreadable value
 */
export function toJson(value: unknown): string {
  // Its own `toJSON` writes a number for each byte.
  if (value instanceof Uint8Array) return JSON.stringify(plainMember("", value));
  try {
    // Fast path for most values.
    return JSON.stringify(value, plainMember) ?? String(value);
  } catch {
    return withoutCircles(value);
  }
}

function withoutCircles(value: unknown): string {
  const above: object[] = [];
  try {
    return JSON.stringify(value, function (this: object, key: string, member: unknown): unknown {
      while (above.length > 0 && above.at(-1) !== this) above.pop();
      const shown = plainMember(key, member);
      if (typeof shown !== "object" || shown === null) return shown;
      if (above.includes(shown)) return "[circular]";
      above.push(shown);
      return shown;
    });
  } catch (thrown) {
    throw adapterError(
      "BRIDGED_TOOL_FAILED",
      `The tool returned something that cannot be read: ${getErrorMessage(thrown)}.`,
    );
  }
}

function plainMember(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return Object.fromEntries(value as Map<string, unknown>);
  if (value instanceof Set) return [...(value as Set<unknown>)];
  if (value instanceof Error) return getErrorMessage(value);
  if (isWrittenBuffer(value)) return `[${value.data.length} bytes]`;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return value;
}

/** Result of `Buffer.toJSON`, which runs before the replacer. */
function isWrittenBuffer(value: unknown): value is { data: number[] } {
  if (typeof value !== "object" || value === null || !("type" in value) || value.type !== "Buffer")
    return false;
  return (
    Object.keys(value).length === 2 &&
    "data" in value &&
    Array.isArray(value.data) &&
    value.data.every(Number.isInteger)
  );
}
