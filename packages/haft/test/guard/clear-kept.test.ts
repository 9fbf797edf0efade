import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { clearKept, clearOutdated } from "../../src/cli/guard/clear-kept.ts";
import { keptProgram } from "../../src/cli/guard/kept-program.ts";
import { temporaryFolder } from "../support/haft.ts";

let state = "";
let compiled = "";

beforeEach(async () => {
  state = await temporaryFolder();
  compiled = join(state, "compiled");
  for (const folder of ["compiled/v24.0.0-x64-1-0", "guard/clients", "guard/in-force", "approvals"])
    mkdirSync(join(state, folder), { recursive: true });
  for (const file of ["guard/rules-a.json", "guard/clients/7-8", "guard/in-force/x", "guard/watched.jsonl"])
    writeFileSync(join(state, file), "x");
});

/** A program of an installation, whose code was kept. */
function installed(name: string): string {
  const file = join(state, `${name}.cjs`);
  writeFileSync(file, `exports.name = ${JSON.stringify(name)};`);
  keptProgram(file, compiled).keep("a way");
  return file;
}

const kept = () => readdirSync(compiled).filter((name) => name.startsWith("guard-"));

it("each installation keeps code of its own, and goes by itself", () => {
  const one = installed("one");
  installed("two");
  expect(kept()).toHaveLength(2);
  clearOutdated([state]);
  expect(kept()).toHaveLength(2);
  rmSync(one);
  clearOutdated([state]);
  expect(kept()).toHaveLength(1);
});

it("takes away what is of another file in its place, of an older form, or a draft", () => {
  const one = installed("one");
  rmSync(one);
  writeFileSync(one, "exports.name = 1;");
  writeFileSync(join(compiled, "guard-v24.0.0-x64"), '{"of":"1,2,3,4","ways":[]}\ncode');
  writeFileSync(join(compiled, "guard-v24.0.0-x64-abc.4711"), "");
  const two = installed("two");
  clearOutdated([state]);
  expect(kept()).toHaveLength(1);
  expect(keptProgram(two, compiled).program).toEqual({ name: "two" });
  // What Node itself keeps is not the guard's.
  expect(existsSync(join(compiled, "v24.0.0-x64-1-0"))).toBe(true);
});

it("takes away what hooks kept to be quicker, and nothing that people decided or that was written down", () => {
  installed("one");
  clearKept([state]);
  expect(kept()).toEqual([]);
  expect(readdirSync(join(state, "guard")).toSorted()).toEqual(["in-force", "watched.jsonl"]);
  expect(existsSync(join(state, "approvals"))).toBe(true);
});

it("touches nothing behind a link, in a relative folder, and where there is none", async () => {
  const other = await temporaryFolder();
  symlinkSync(compiled, join(other, "compiled"));
  symlinkSync(join(state, "guard"), join(other, "guard"));
  installed("one");
  rmSync(join(state, "one.cjs"));
  for (const clear of [clearKept, clearOutdated]) clear([other, "relative", join(other, "none")]);
  expect(kept()).toHaveLength(1);
  expect(existsSync(join(state, "guard/rules-a.json"))).toBe(true);
});
