/**
 * A copy of arguments to the last member, for code that is not the kernel's: nothing it does to them is seen elsewhere.
 * Strings, which nobody can change, are shared, so that the content of a large file costs nothing.
 */
export function copyArguments<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyArguments<unknown>(item)) as Value;
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) copy[key] = copyArguments(copy[key]);
  return copy as Value;
}

/** Freezes a value to the last member: neither its readers nor its owner change it afterwards. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
