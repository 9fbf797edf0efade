import { describe, expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, getProblems } from "../fixtures.ts";

const found = (config: PolicyConfig) => getProblems(() => policy(config));

describe("entries that a denial in the same scope fully covers", () => {
  test.each<[PolicyConfig, string, RegExp]>([
    [{ allow: ["read", "write"], deny: ["haft-fs"] }, "allow[0]", /deny\[0\] \("haft-fs"\); deny wins/],
    [{ allow: ["read", "exec"], deny: ["*"] }, "allow[0]", /deny\[0\]/],
    [{ grant: ["write"], deny: ["group:fs"] }, "grant[0]", /"group:fs"/],
    [{ ask: ["write"], deny: ["effect:write"] }, "ask[0]", /"effect:write"/],
    [{ ask: ["exec(rm *)"], deny: ["group:runtime"] }, "ask[0]", /"group:runtime"/],
    [{ ask: ["read(path:a)"], deny: ["group:fs(path:a)"] }, "ask[0]", /group:fs\(path:a\)/],
    [{ ask: ["process:kill"], deny: ["group:runtime:kill"] }, "ask[0]", /group:runtime:kill/],
    [{ allow: ["*_patch"], deny: ["apply_*"] }, "allow[0]", /apply_\*/],
    [{ ask: ["haft-runtime/exec"], deny: ["exec"] }, "ask[0]", /"exec"/],
    [{ ask: ["haft-fs/write"], deny: ["read", "write"] }, "ask[0]", /deny\[1\]/],
  ])("are rejected with the name of the denial: %j", (config, path, says) => {
    const problems = found(config);
    expect(problems).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(says) }));
    const scoped = found({ agents: { ada: config } });
    expect(scoped.map((problem) => problem.path)).toEqual(
      problems.map((problem) => `agents.ada.${problem.path}`),
    );
  });
});

test.each<PolicyConfig>([
  { ask: ["group:fs"], deny: ["write"] },
  { allow: ["*"], deny: ["write"] },
  { ask: ["exec"], deny: ["exec(rm *)"] },
  { ask: ["exec(git *)"], deny: ["exec(git push*)"] },
  { ask: ["process"], deny: ["process:kill"] },
  { ask: ["read(path:a)"], deny: ["read(path:b)"] },
  // In a sandbox that mounts the files read-only, commands are not denied by it.
  { ask: ["exec"], deny: ["effect:write"] },
  // Another scope may well be stricter.
  { ask: ["write"], sessions: { group: { deny: ["write"] } } },
])("accepts %j", (config) => expect(found(config)).toEqual([]));
