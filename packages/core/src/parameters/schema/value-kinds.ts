import { isObject } from "@haft/utils";

interface ValueKind {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

const KINDS: Readonly<Record<string, ValueKind>> = {
  function: { words: "function", test: (value) => typeof value === "function" },
  milliseconds: { words: "number of milliseconds", test: (value) => typeof value === "number" && value >= 0 },
  /** Includes instances of classes, such as ports. */
  object: { words: "object", test: isObject },
  /** Only a real signal can be combined with others. */
  signal: { words: "AbortSignal", test: (value) => value instanceof AbortSignal },
  options: { words: "object of options", test: isObject },
};

export function valueKind(name: unknown): ValueKind | undefined {
  return typeof name === "string" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
