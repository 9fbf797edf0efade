/** What is read of a Standard Schema, once. Its functions are the library's: they may throw, and answer anything. */
export interface Standard {
  vendor: string;
  /** Judges a value, and says what it makes of it; at once, or later. */
  validate: ((value: unknown) => unknown) | undefined;
  /** Tells the input as JSON Schema. */
  toJsonSchema: ((options: { target: string }) => unknown) | undefined;
}

/** `undefined` for what is none. May throw as what it reads. */
export function standardOf(given: unknown): Standard | undefined {
  // The types of arktype are functions.
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return undefined;
  const standard = (given as Record<string, unknown>)["~standard"];
  if (typeof standard !== "object" || standard === null) return undefined;
  const { vendor, validate, jsonSchema } = standard as Record<string, unknown>;
  // Any of these may be an instance of a class.
  const input = (jsonSchema as { input?: unknown } | null | undefined)?.input;
  return {
    vendor: typeof vendor === "string" && vendor !== "" ? vendor.slice(0, 64) : "another library",
    validate:
      typeof validate === "function" ? (value) => validate.call(standard, value) as unknown : undefined,
    toJsonSchema:
      typeof input === "function" ? (options) => input.call(jsonSchema, options) as unknown : undefined,
  };
}
