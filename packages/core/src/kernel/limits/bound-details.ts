import type { ToolResult } from "../../contract/result.ts";

const MAX_DEPTH = 100;

/**
 * Details as small JSON. Members that are too large, smallest kept first, or that JSON cannot hold are
 * left out and named in `detailsCut`. Details that fit are returned as they are.
 */
export function boundDetails(details: unknown, maxCharacters: number): unknown {
  if (jsonSize(details, maxCharacters) <= maxCharacters) return details;
  if (typeof details !== "object" || details === null) return { detailsCut: [] };
  const sizes = Object.keys(details).map((key) => ({ key, size: memberSize(details, key, maxCharacters) }));
  const kept = new Set<string>();
  let left = maxCharacters - 1000;
  for (const { key, size } of sizes.toSorted((a, b) => a.size - b.size)) {
    left -= size + key.length + 4;
    if (left < 0) break;
    kept.add(key);
  }
  const entries = [...kept].map((key) => [key, (details as Record<string, unknown>)[key]] as const);
  const cut = sizes.filter(({ key }) => !kept.has(key)).map(({ key }) => key.slice(0, 40));
  return { ...Object.fromEntries(entries), detailsCut: cut.slice(0, 20) };
}

/** Whether details fit, without making their JSON. */
export function detailsFit(result: ToolResult, maxCharacters: number): boolean {
  return jsonSize(result.details, maxCharacters) <= maxCharacters;
}

function memberSize(details: object, key: string, budget: number): number {
  try {
    return jsonSize((details as Record<string, unknown>)[key], budget);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** About how long the JSON of a value is; infinite for what JSON cannot hold. Stops counting beyond `budget`. */
function jsonSize(value: unknown, budget: number, depth = 0): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number" || typeof value === "boolean" || value === undefined || value === null)
    return 5;
  return typeof value === "object" ? objectSize(value, budget, depth) : Number.POSITIVE_INFINITY;
}

function objectSize(value: object, budget: number, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  if (ArrayBuffer.isView(value)) return value.byteLength * 4;
  let size = 2;
  try {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && size <= budget; index++) {
        size += jsonSize(value[index], budget - size, depth + 1) + 1;
      }
      return size;
    }
    for (const key in value) {
      size += key.length + 4 + jsonSize((value as Record<string, unknown>)[key], budget - size, depth + 1);
      if (size > budget) break;
    }
  } catch {
    // A getter that throws.
    return Number.POSITIVE_INFINITY;
  }
  return size;
}
