import { SecretMasker } from "./secret-masker.ts";

/** By registration: a value stays known until all of its registrations end. */
const known = new Map<symbol, readonly string[]>();
let cover = new SecretMasker([]);

/**
 * Masks these values, such as credentials of servers, in all records, messages and results of this process. Values of fewer than 4
 * characters are not masked.
 *
 * @returns A function that ends the registration.
 */
export function registerSecrets(secrets: readonly string[]): () => void {
  const key = Symbol("secrets");
  known.set(key, secrets);
  renew();
  return () => {
    if (known.delete(key)) renew();
  };
}

export function maskKnownSecrets<Value>(value: Value): Value {
  return cover.maskValue(value);
}

function renew(): void {
  cover = new SecretMasker([...known.values()].flat());
}
