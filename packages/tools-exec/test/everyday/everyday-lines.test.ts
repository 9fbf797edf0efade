import { afterAll, beforeAll, expect, test } from "vitest";
import { EVERYDAY_LINES } from "./everyday-lines.ts";
import { everydaySite, type LineVerdict } from "./everyday-site.ts";

/** Lines that are asked about although their programs are listed, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  "git submodule status": "git submodule status can start other programs",
  'node -e "console.log(1 + 1)"': "node with -e can run any code",
  "python3 -c 'print(1)'": "python with -c can run any code",
  "npx tsc --noEmit": "npx fetches and runs a package that its arguments name",
};

let site: Awaited<ReturnType<typeof everydaySite>>;
const verdicts: LineVerdict[] = [];

beforeAll(async () => {
  site = await everydaySite();
  for (const line of EVERYDAY_LINES) verdicts.push(await site.judge(line));
});
afterAll(() => site.close());

test("lists 102 distinct lines", () => {
  expect(new Set(EVERYDAY_LINES).size).toBe(102);
});

test("requires approval for at most 8 lines, each with its reason", () => {
  const blocked = verdicts.filter(({ runs }) => !runs);
  expect(Object.fromEntries(blocked.map(({ line, why }) => [line, why]))).toEqual(
    Object.fromEntries(Object.entries(REASONS).map(([line, why]) => [line, expect.stringContaining(why)])),
  );
  expect(blocked.length).toBeLessThanOrEqual(8);
});
