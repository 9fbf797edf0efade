import { dedupeByRule } from "@haft/config/internal/document";
import { expect, test } from "vitest";
import { programWarnings } from "../../src/review/program-warnings.ts";

test("compares the first thousand patterns with programs, and counts the others in a warning", async () => {
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
  expect(warnings).toMatchObject([
    { path: "", message: expect.stringMatching(/; 234 patterns were not\.$/) },
  ]);
  // However many warnings there are, it is the first line: of the others twenty are shown.
  const others = deny.map((_, index) => ({ path: `deny[${index}]`, line: index + 2, message: "Another." }));
  const ofFile = { path: "", message: "Of the whole file." };
  expect(dedupeByRule([...others, ofFile, ...warnings]).slice(0, 3)).toEqual([
    ofFile,
    ...warnings,
    others[0],
  ]);
});

test("does not say that a list never allows a push, which depends on the repository", async () => {
  const warnings = await programWarnings(
    { exec: { allow: ["git push *", "git push", "npx *"] } },
    () => undefined,
  );
  const never = warnings.filter(({ message }) => message.startsWith("A list never"));
  expect(never.map(({ path }) => path)).toEqual(["exec.allow[2]"]);
  expect(warnings.map(({ path }) => path)).not.toContain("exec.allow[0]");
});
