import { fc, test as property } from "@fast-check/vitest";
import { nkeys } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { createIdentity } from "../../src/index.ts";
import { isSignedBy } from "../../src/keys/identity.ts";
import { decodePublicKey, decodeSeed, encodePublicKey, encodeSeed } from "../../src/keys/nkey.ts";

test("keys are those of the NATS libraries, both ways", () => {
  const theirs = nkeys.createUser();
  const ours = createIdentity(Buffer.from(theirs.getSeed()).toString());
  expect(ours.id).toBe(theirs.getPublicKey());
  const own = createIdentity();
  expect(nkeys.fromSeed(Buffer.from(own.seed)).getPublicKey()).toBe(own.id);
  expect(nkeys.fromPublic(own.id).getPublicKey()).toBe(own.id);
});

property.prop([fc.uint8Array({ minLength: 32, maxLength: 32 })])("what is written is read", (bytes) => {
  expect(decodePublicKey(encodePublicKey(bytes))).toEqual(Buffer.from(bytes));
  expect(decodeSeed(encodeSeed(bytes))).toEqual(Buffer.from(bytes));
  expect(decodeSeed(encodePublicKey(bytes))).toBeUndefined();
});

property.prop([fc.integer({ min: 0, max: 55 }), fc.constantFrom("A", "B", "Z", "2", "7")])(
  "a key with another letter is none",
  (at, letter) => {
    const { id } = createIdentity();
    const other = id.slice(0, at) + letter + id.slice(at + 1);
    expect(decodePublicKey(other) === undefined).toBe(other !== id);
  },
);

test("a signature is for one domain, one list of parts and one key, and for no text a server may ask for", () => {
  const [mine, other] = [createIdentity(), createIdentity()];
  const parts = [Buffer.from("ab"), Buffer.from("c")];
  const signature = mine.sign("hello", ...parts);
  expect(isSignedBy(mine.id, signature, "hello", ...parts)).toBe(true);
  expect(isSignedBy(other.id, signature, "hello", ...parts)).toBe(false);
  expect(isSignedBy(mine.id, signature, "answer", ...parts)).toBe(false);
  expect(isSignedBy(mine.id, signature, "hello", Buffer.from("a"), Buffer.from("bc"))).toBe(false);
  expect(isSignedBy("nobody", signature, "hello", ...parts)).toBe(false);
  const text = nkeys.fromSeed(Buffer.from(mine.seed)).sign(Buffer.from("hello"));
  expect(isSignedBy(mine.id, text, "hello")).toBe(false);
});
