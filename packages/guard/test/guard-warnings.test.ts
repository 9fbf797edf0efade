import { HaftError } from "@haft/core";
import { guardWarnings } from "@haft/guard/internal/agents";
import type { PolicyConfig } from "@haft/policy";
import { expect, test } from "vitest";

const warned = (config: PolicyConfig, owner?: "administrator" | "workspace") =>
  guardWarnings(config, "p.yaml", () => undefined, owner).map(({ path, nearest = [] }) => [path, ...nearest]);

test("warns that commands still reach a path, and of no shell that agents do not have", () => {
  expect(warned({ deny: ["read(path:secrets/**)"] })).toEqual([["deny[0]", "effect:read(path:secrets/**)"]]);
  expect(warned({ deny: ["exec(rm *)"], ask: ["bash(git push *)"] })).toEqual([]);
});

test("warns of a name that no agent has, unless a mistake is certain", () => {
  expect(warned({ deny: ["word-count", "Agent", "update_plan"] })).toEqual([["deny[0]"]]);
  expect(() => warned({ deny: ["Bash(git push *)"] })).toThrow(HaftError);
  for (const owner of ["administrator", "workspace"] as const)
    expect(warned({ deny: ["Bash(git push *)"] }, owner)[0]).toEqual(expect.arrayContaining(["deny[0]"]));
});
