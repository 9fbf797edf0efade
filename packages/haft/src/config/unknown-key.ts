import { type KeyPath, policySchema } from "@haft/policy";

/** Says of a key that a configuration does not know what there is instead, or that it belongs into the policy. */
export function unknownKey(path: KeyPath, known: readonly string[]): string {
  const [key, ...rest] = path;
  if (rest.length === 0 && Object.hasOwn(Object(policySchema()["properties"]), String(key)))
    return `There is no such key here; it stands under policy: { ${key}: … }.`;
  return `There is no such key; known here: ${known.join(", ")}.`;
}
