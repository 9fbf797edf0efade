import { SecretMasker } from "./secret-masker.ts";

/** A value stays known until all of its registrations end. */
const known = new Map<symbol, readonly string[]>();
let cover = new SecretMasker([]);

/**
 * Masks these values in all output of this process, from a length of 4 characters.
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
