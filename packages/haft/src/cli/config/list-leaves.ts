import type { KeyPath } from "@haft/policy";
import { isObject } from "@haft/utils";

export function listLeaves(value: unknown, path: KeyPath): [KeyPath, unknown][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((each, index) => listLeaves(each, [...path, index]));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => listLeaves(each, [...path, key]));
  return [[path, value]];
}
