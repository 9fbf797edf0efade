import { SecretMasker } from "./secret-masker.ts";

class KnownSecrets {
  /** A value stays known until all of its registrations end. */
  readonly #known = new Map<symbol, readonly string[]>();
  masker = new SecretMasker([]);

  register(secrets: readonly string[]): () => void {
    const key = Symbol("secrets");
    this.#known.set(key, secrets);
    this.#renew();
    return () => {
      if (this.#known.delete(key)) this.#renew();
    };
  }

  #renew(): void {
    this.masker = new SecretMasker([...this.#known.values()].flat());
  }
}

const known = new KnownSecrets();
const recorded = new KnownSecrets();

/**
 * Masks these values in all output of this process, from a length of 4 characters.
 *
 * @returns A function that ends the registration.
 */
export function registerSecrets(secrets: readonly string[]): () => void {
  return known.register(secrets);
}

/**
 * Masks these values only in records. Other tools and approvals still show them, since they can be common words.
 *
 * @returns A function that ends the registration.
 */
export function registerRecordedSecrets(secrets: readonly string[]): () => void {
  return recorded.register(secrets);
}

export function maskKnownSecrets<Value>(value: Value): Value {
  return known.masker.maskValue(value);
}

export function maskRecordedSecrets(text: string): string {
  return recorded.masker.maskText(text);
}
