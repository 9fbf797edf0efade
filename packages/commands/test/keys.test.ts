import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { bindingOf, programKey } from "../src/index.ts";

test.prop([fc.string(), fc.string(), fc.string(), fc.string()])(
  "keys of programs are the same for the same, and for nothing else",
  (a, b, c, d) => {
    expect(programKey(a, b) === programKey(c, d)).toBe(a === c && b === d);
  },
);

test.prop([fc.dictionary(fc.string(), fc.string())])(
  "the order of facts does not change a binding",
  (facts) => {
    const reversed = Object.fromEntries(Object.entries(facts).toReversed());
    expect(bindingOf(reversed)).toBe(bindingOf(facts));
    expect(bindingOf({ ...facts, one: "more", than: "before" })).not.toBe(bindingOf(facts));
  },
);
