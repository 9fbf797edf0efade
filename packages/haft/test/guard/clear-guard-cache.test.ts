import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { clearGuardCache } from "../../src/cli/guard/clear-guard-cache.ts";

let state = "";

beforeEach(async () => {
  state = await temporaryFolder();
  for (const folder of ["guard/clients", "guard/in-force", "approvals"])
    mkdirSync(join(state, folder), { recursive: true });
  for (const file of ["guard/rules-a.json", "guard/clients/7-8", "guard/in-force/x", "guard/watched.jsonl"])
    writeFileSync(join(state, file), "x");
});

it("removes compiled rules and records of clients, but no answers of people and no logs", () => {
  clearGuardCache([state]);
  expect(readdirSync(join(state, "guard")).toSorted()).toEqual(["in-force", "watched.jsonl"]);
  expect(existsSync(join(state, "approvals"))).toBe(true);
});

it("ignores links, relative folders and missing folders", async () => {
  const other = await temporaryFolder();
  symlinkSync(join(state, "guard"), join(other, "guard"));
  clearGuardCache([other, "relative", join(other, "none")]);
  expect(existsSync(join(state, "guard/rules-a.json"))).toBe(true);
});
