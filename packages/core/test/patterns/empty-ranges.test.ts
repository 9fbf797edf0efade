import { expect, test } from "vitest";
import { compilePathPattern } from "../../src/index.ts";

test.each(["[z-a]", "[z-m]nop", "[!z-a]", "x/[ab-Z]", "{[z-a],q}", "[é-a]"])(
  "%s has a range that ends before it begins: a pattern that holds less than it seems to",
  (pattern) => {
    for (const options of [{}, { strict: true }, { fold: true }])
      expect(compilePathPattern(pattern, options)).toMatchObject({ problem: "-" });
  },
);

test("to git such a range holds nothing, and what stands beside it counts", () => {
  const pattern = compilePathPattern("[z-ab]", { emptyRanges: true });
  if ("problem" in pattern) throw new Error(pattern.message);
  expect([pattern.matches("b"), pattern.matches("a"), pattern.matches("z")]).toEqual([true, false, false]);
});

test.each(["[a-a]", "[a-z]", "[Z-a]", "[-z]", "[z-]", "[a\\-z]"])("%s is a set", (pattern) => {
  expect(compilePathPattern(pattern, { strict: true })).not.toHaveProperty("problem");
});
