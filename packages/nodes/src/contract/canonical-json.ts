import { sha256 } from "@haft/utils";

/** JSON with sorted keys, without `undefined`. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

const digests = new WeakMap<object, string>();

/** SHA-256 of the canonical JSON (base64url), cached because declarations are immutable. */
export function computeDigest(value: object): string {
  let digest = digests.get(value);
  if (digest === undefined) digests.set(value, (digest = sha256(canonicalJson(value), "base64url")));
  return digest;
}
