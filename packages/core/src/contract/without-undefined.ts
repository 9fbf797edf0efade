/**
 * A copy without the properties that are `undefined`: what is not known is not there.
 *
 * @param value A `Value`, where what is optional may also be `undefined`.
 */
export function withoutUndefined<Value extends object>(
  value: NoInfer<
    Value extends unknown
      ? { [Key in keyof Value]: object extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key] }
      : never
  >,
): Value {
  const known: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) if (each !== undefined) known[key] = each;
  return known as Value;
}
