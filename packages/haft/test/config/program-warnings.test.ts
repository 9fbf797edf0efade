import { expect, test } from "vitest";
import { programWarnings } from "../../src/review/program-warnings.ts";

test("the first thousand patterns are compared with programs, and a warning counts the others", async () => {
  const deny = Array.from({ length: 1_234 }, (_, index) => `exec(p${index} *)`);
  let looked = 0;
  const warnings = await programWarnings(
    { deny },
    () => undefined,
    async (samples) => {
      looked = samples.length;
      return [];
    },
  );
  expect(looked).toBe(1_000);
  expect(warnings).toMatchObject([{ path: "deny[1000]", message: expect.stringContaining("(234 in all)") }]);
});
