import { fc, test as property } from "@fast-check/vitest";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/cli/place/sha-256.ts";

const nodes = (text: string) => createHash("sha256").update(text).digest("hex");

property.prop([fc.string({ unit: "binary", maxLength: 300 })])("it is the one of Node", (text) => {
  expect(sha256(text)).toBe(nodes(text));
});

test("so it is of every length around the end of a block", () => {
  for (let length = 0; length <= 200; length++)
    expect(sha256("x".repeat(length))).toBe(nodes("x".repeat(length)));
});
