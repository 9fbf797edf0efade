import { fc, test as property } from "@fast-check/vitest";
import { nkeys } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { createIdentity } from "../../src/index.ts";
import { isSignedBy } from "../../src/keys/identity.ts";
import { decodePublicKey, decodeSeed, encodePublicKey, encodeSeed } from "../../src/keys/nkey.ts";

test("keys are compatible with the NATS libraries in both directions", () => {
  const natsKey = nkeys.createUser();
  const ours = createIdentity(Buffer.from(natsKey.getSeed()).toString());
  expect(ours.id).toBe(natsKey.getPublicKey());
  const identity = createIdentity();
  expect(nkeys.fromSeed(Buffer.from(identity.seed)).getPublicKey()).toBe(identity.id);
  expect(nkeys.fromPublic(identity.id).getPublicKey()).toBe(identity.id);
});

property.prop([fc.uint8Array({ minLength: 32, maxLength: 32 })])("decodes encoded keys", (bytes) => {
  expect(decodePublicKey(encodePublicKey(bytes))).toEqual(Buffer.from(bytes));
  expect(decodeSeed(encodeSeed(bytes))).toEqual(Buffer.from(bytes));
  expect(decodeSeed(encodePublicKey(bytes))).toBeUndefined();
});

property.prop([fc.integer({ min: 0, max: 55 }), fc.constantFrom("A", "B", "Z", "2", "7")])(
  "rejects a key with a changed letter",
  (at, letter) => {
    const { id } = createIdentity();
    const other = id.slice(0, at) + letter + id.slice(at + 1);
    expect(decodePublicKey(other) === undefined).toBe(other !== id);
  },
);

test("a signature is valid for one domain, one list of parts and one key, and never for a server's text", () => {
  const [signer, other] = [createIdentity(), createIdentity()];
  const parts = [Buffer.from("ab"), Buffer.from("c")];
  const signature = signer.sign("hello", ...parts);
  expect(isSignedBy(signer.id, signature, "hello", ...parts)).toBe(true);
  expect(isSignedBy(other.id, signature, "hello", ...parts)).toBe(false);
  expect(isSignedBy(signer.id, signature, "answer", ...parts)).toBe(false);
  expect(isSignedBy(signer.id, signature, "hello", Buffer.from("a"), Buffer.from("bc"))).toBe(false);
  expect(isSignedBy("nobody", signature, "hello", ...parts)).toBe(false);
  const text = nkeys.fromSeed(Buffer.from(signer.seed)).sign(Buffer.from("hello"));
  expect(isSignedBy(signer.id, text, "hello")).toBe(false);
});
