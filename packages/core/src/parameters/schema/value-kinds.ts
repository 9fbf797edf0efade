import { isObject } from "@haft/utils";

interface ValueKind {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

/** What options hold that JSON does not, for the keyword `haft:kind`. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  function: { words: "function", test: (value) => typeof value === "function" },
  /** `Infinity`, too. */
  milliseconds: { words: "number of milliseconds", test: (value) => typeof value === "number" && value >= 0 },
  /** May be of a class, as ports are. */
  object: { words: "object", test: isObject },
  /** Only a real one can be joined with others. */
  signal: { words: "AbortSignal", test: (value) => value instanceof AbortSignal },
  /** The same as an object, and its `properties` are all there are. */
  options: { words: "object of options", test: isObject },
};

/** The kind of this name. `undefined` for others, which are annotations. */
export function valueKind(name: unknown): ValueKind | undefined {
  return typeof name === "string" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
