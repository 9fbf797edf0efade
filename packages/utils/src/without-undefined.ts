/**
 * Returns a copy of an object without `undefined` properties and the prototype's properties.
 *
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
  // Entry lists would slow down the reading of thousands of rules.
  for (const key in given) {
    const each = given[key];
    if (each !== undefined && Object.hasOwn(given, key)) known[key] = each;
  }
  return known as Value;
}
