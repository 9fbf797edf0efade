import { inspect } from "node:util";
import { expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";

test("an error that nobody catches shows its name, its message, its code and what to do", () => {
  const thrown = new HaftError("SOME_CODE", "It did not work.", {
    category: "input",
    fix: "Do it otherwise.",
  });
  // What Node prints at the end.
  const shown = inspect(thrown);
  expect(shown).toMatch(/^HaftError: It did not work\.\n {4}at /);
  expect(shown).toContain("code: 'SOME_CODE'");
  expect(shown).toContain("fix: 'Do it otherwise.'");
});
