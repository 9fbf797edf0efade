import { SecretMasker } from "./secret-masker.ts";

/** By whoever said them: the same value may be known twice, and has to stay known until both forget it. */
const known = new Map<symbol, readonly string[]>();
let cover = new SecretMasker([]);

/**
 * Has these texts covered in all that this process records and shows, and in results of tools, whoever has them: values that
 * a host knows to be secret, such as what servers are started with. Those of fewer than 4 characters are not.
 *
 * @returns forgets them again
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
