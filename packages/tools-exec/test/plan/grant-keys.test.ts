import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { hashBinding, programKey } from "../../src/plan/grants/grant-keys.ts";

const program = fc.tuple(fc.string(), fc.string(), fc.array(fc.string()));

test.prop([program, program])("returns equal keys only for equal programs", (a, b) => {
  expect(programKey(...a) === programKey(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
});

test.prop([fc.dictionary(fc.string(), fc.string())])(
  "returns the same binding for any order of facts",
  (facts) => {
    const reversed = Object.fromEntries(Object.entries(facts).toReversed());
    expect(hashBinding(reversed)).toBe(hashBinding(facts));
    expect(hashBinding({ ...facts, one: "more", than: "before" })).not.toBe(hashBinding(facts));
  },
);
