import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { nearestNames } from "../src/nearest-names.ts";

const TOOLS = ["read", "write", "edit", "apply_patch", "exec", "process", "node_invoke"];

describe("nearestNames", () => {
  it.each(["", "   ", "zzzzzzzz", "delete_everything"])("finds nothing near %j", (name) => {
    expect(nearestNames(name, TOOLS)).toEqual([]);
  });

  it("is not impressed by a name of ten megabytes", () => {
    expect(nearestNames("x".repeat(10_000_000), TOOLS)).toEqual([]);
  });

  it.each([
    ["raed", "read"],
    ["Read", "read"],
    ["applyPatch", "apply_patch"],
    ["apply-patch", "apply_patch"],
    ["apply", "apply_patch"],
    ["proces", "process"],
    ["edit_file", "edit"],
  ])("%s means %s", (name, meant) => {
    expect(nearestNames(name, TOOLS)[0]).toBe(meant);
  });

  it("puts the exact name first and names at most `max`", () => {
    expect(nearestNames("aaab", ["aaac", "aaab", "aaaa", "aaad"], 2)).toEqual(["aaab", "aaac"]);
  });

  const word = fc.stringMatching(/^[a-z]{4,20}$/);
  test.prop([word, fc.nat(), fc.constantFrom("drop", "double", "swap")])(
    "one slip of the pen is always near",
    (name, seed, slip) => {
      const at = seed % (name.length - 1);
      const [before, here, next, rest] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)];
      const typed = {
        drop: before + next + rest,
        double: before + here + here + next + rest,
        swap: before + next + here + rest,
      };
      expect(nearestNames(typed[slip], ["unrelated_name_that_is_long", name])).toContain(name);
    },
  );
});
