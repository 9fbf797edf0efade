/**
 * 64 bits of a text as 13 letters and digits (two FNV-1a lanes). Names things in records; it is
 * no protection against somebody who looks for collisions.
 */
export function shortHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000193) ^ (high >>> 15);
  }
  const value = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return value.toString(36).padStart(13, "0");
}
