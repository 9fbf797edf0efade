import { isObject } from "@haft/core/internal";
import type { KeyPath } from "@haft/policy";

export function leavesOf(value: unknown, path: KeyPath): [KeyPath, unknown][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((each, index) => leavesOf(each, [...path, index]));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  return [[path, value]];
}
