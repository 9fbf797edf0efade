/** A name for a text, for files that say what they are for: no protection against somebody who looks for another with the same. */
export function shortName(text: string): string {
  let [one, other] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e_37_79_b1);
    other = Math.imul(other ^ code, 0x5f_35_64_95);
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
