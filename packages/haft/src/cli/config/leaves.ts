import type { KeyPath } from "@haft/policy";

/** What is no map or list with something in it, with the keys on the way. */
export function leavesOf(value: unknown, path: KeyPath): [KeyPath, unknown][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((each, index) => leavesOf(each, [...path, index]));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  return [[path, value]];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
