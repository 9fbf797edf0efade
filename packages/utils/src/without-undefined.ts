/**
 * Returns a copy of an object without the properties that are `undefined`. Properties of the prototype are not copied.
 *
 * @param value A `Value` whose optional members may be `undefined`.
 * @example
 * ```ts run
 * import { withoutUndefined } from "@haft/utils";
 * interface Limits { bytes?: number; lines?: number }
 * withoutUndefined<Limits>({ bytes: 512, lines: undefined }); // => { bytes: 512 }
 * ```
 */
export function withoutUndefined<Value extends object>(
  value: NoInfer<
    Value extends unknown
      ? { [Key in keyof Value]: object extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key] }
      : never
  >,
): Value {
  const given = value as Readonly<Record<string, unknown>>;
  const known: Record<string, unknown> = {};
  // No list of entries: this stands where thousands of rules are read.
  for (const key in given) {
    const each = given[key];
    if (each !== undefined && Object.hasOwn(given, key)) known[key] = each;
  }
  return known as Value;
}
