/** `Value`, where what is optional may also be `undefined`. */
export type WithUndefined<Value> = Value extends unknown
  ? { [Key in keyof Value]: object extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key] }
  : never;

/** A copy without the properties that are `undefined`: what is not known is not there. */
export function withoutUndefined<Value extends object>(value: WithUndefined<NoInfer<Value>>): Value {
  const known: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) if (each !== undefined) known[key] = each;
  return known as Value;
}
