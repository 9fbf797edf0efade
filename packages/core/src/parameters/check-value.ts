import type { Issue } from "./schema/issues.ts";
import { compileValidator, type Validator } from "./schema/validator.ts";

const compiled = new WeakMap<object, Validator>();

/**
 * What is wrong with a value, by a JSON Schema that stands in the code; empty for one that fits. The schema is compiled
 * once, when it is first needed.
 *
 * @param max how many issues are collected, 10 by default
 */
export function checkValue(schema: object, value: unknown, max?: number): readonly Issue[] {
  let validator = compiled.get(schema);
  if (validator === undefined) compiled.set(schema, (validator = compileValidator(schema)));
  return validator.issues(value, max);
}
