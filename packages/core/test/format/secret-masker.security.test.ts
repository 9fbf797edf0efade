import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { SecretMasker } from "../../src/format/secret-masker.ts";

const KEY = "sk-live-0123456789abcdef";

property.prop([fc.string({ unit: "binary", maxLength: 9 }), fc.string({ unit: "binary", maxLength: 9 })], {
  numRuns: scaleRuns(200, 4),
})("masks a secret in Base64 of a longer text, at each position", (before, after) => {
  for (const form of ["base64", "base64url"] as const) {
    const shown = new SecretMasker([KEY]).maskText(Buffer.from(`${before}${KEY}${after}`).toString(form));
    expect(shown).toContain("[secret]");
    // At both ends, one character has bits of the secret and of the text beside it.
    const [start = "", end = ""] = shown.split("[secret]");
    const bytes = (text: string): number => Buffer.byteLength(text);
    expect(start.length).toBeLessThanOrEqual(Math.floor((bytes(before) * 8) / 6) + 1);
    expect(end.replaceAll("=", "").length).toBeLessThanOrEqual(Math.ceil((bytes(after) * 8) / 6) + 1);
  }
});

test("does not mask parts of Base64 for a short secret, since images contain them by chance", () => {
  const image = Buffer.from("xxtestx").toString("base64");
  expect(new SecretMasker(["test"]).maskText(image)).toBe(image);
});
