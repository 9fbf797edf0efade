import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createPolicy } from "../../src/create-policy.ts";
import type { TighteningRules } from "../../src/read/check-tightening.ts";
import { session, tool, tools, reach, repaired, valid } from "../fixtures.ts";
import { richConfigs, richRules, someArgs, someFacts, someSubjects } from "../random-policies.ts";

// A workspace can be anybody's: what lies in it takes away, whatever it says.

const withWorkspace = (...configs: readonly object[]) =>
  createPolicy(
    {},
    { tools, workspace: configs.map((config, index) => ({ config, source: `ws${index}.yaml` })) },
  );
const effect = (policy: ReturnType<typeof createPolicy>, name: string, args: object = {}) =>
  policy.forSession(session("main")).call(tool(name), args).effect;

describe("keys that could do more than tighten", () => {
  test.each([
    [
      { grant: ["*"] },
      /grant: It lets calls through; rules of a workspace apply to every session and only tighten/,
    ],
    [{ mode: "off" }, /mode: It would decide whether rules apply/],
    [{ profile: "full" }, /profile: It is the operator's choice/],
    [{ sessions: { main: {} } }, /sessions: It distinguishes sessions/],
    [{ senders: { "id:1": { deny: ["*"] } } }, /senders: It distinguishes sessions/],
    [{ exec: { elevated: { mode: "full", senders: ["*"] } } }, /exec\.elevated: It lets calls exceed/],
    [{ exec: { containment: "workspace" } }, /exec\.containment: It removes approvals/],
    [{ exec: { network: "none" } }, /exec\.network: /],
    [{ exec: { caches: ["~/.npm"] } }, /exec\.caches: /],
    [{ exec: { trustedDirs: ["/opt"] } }, /exec\.trustedDirs: /],
    [{ exec: { preset: "contained" } }, /exec\.preset: "contained" removes approvals/],
    [{ dney: ["write"] }, /dney: There is no such key.*Did you mean "deny"\?/],
    [{ exec: { secruity: "deny" } }, /exec\.secruity: .*Did you mean "security"\?/],
  ])("rejects %j", (config, message) => {
    expect(() => withWorkspace(config)).toThrow(
      expect.objectContaining({ code: "POLICY_INVALID", message: expect.stringMatching(message) }),
    );
  });

  test("rejects malformed values", () => {
    expect(() => withWorkspace({ deny: "write" })).toThrow(/ws0\.yaml is not a valid policy: deny: /);
  });
});

describe("rules of a workspace", () => {
  test("apply to every session: denials, questions, lists and commands", () => {
    expect(effect(withWorkspace({ deny: ["write"] }), "write")).toBe("deny");
    expect(effect(withWorkspace({ ask: ["write"] }), "write")).toBe("ask");
    expect(effect(withWorkspace({ allow: ["read"] }), "write")).toBe("deny");
    expect(effect(withWorkspace({ allow: ["read"] }), "read")).toBe("allow");
    expect(effect(withWorkspace({ exec: { security: "deny" } }), "exec")).toBe("deny");
    expect(effect(withWorkspace({ exec: { ask: "always" } }), "exec")).toBe("ask");
  });

  test("apply together if several contradict each other", () => {
    const policy = withWorkspace({ allow: ["read"] }, { allow: ["write"] });
    expect([effect(policy, "read"), effect(policy, "write")]).toEqual(["deny", "deny"]);
    expect(policy.explain(session("main"), "write")).toMatchObject({
      call: { reason: "write is not listed in ws0.yaml: allow." },
    });
  });

  test.each(["off", "shadow"] as const)("apply if the policy is in mode %s", (mode) => {
    const policy = createPolicy(
      { mode },
      { tools, workspace: [{ config: { deny: ["write"] }, source: "ws.yaml" }] },
    );
    expect(effect(policy, "write")).toBe("deny");
  });

  test("do not enable an optional tool by its name", () => {
    expect(effect(withWorkspace({ allow: ["extras/secret_scan"] }), "extras/secret_scan")).toBe("deny");
  });

  test("may deny a missing tool, with a warning", () => {
    const policy = withWorkspace({ deny: ["write", "no_such_tool"] });
    expect(policy.unmatched).toMatchObject([{ source: "ws0.yaml", path: "deny[1]", severity: "warning" }]);
    expect(effect(policy, "write")).toBe("deny");
  });

  test("change the version of the policy", () => {
    const versions = [[], [{ deny: ["write"] }], [{ deny: ["write"] }, { ask: ["read"] }]].map(
      (configs) => withWorkspace(...configs).version,
    );
    expect(new Set(versions).size).toBe(3);
  });
});

const tightening = richRules
  .map(({ deny, ask, allow, exec }): TighteningRules => {
    const { security, ask: asked, allow: commands, safeBins, preset } = exec ?? {};
    const given = Object.entries({
      security,
      ask: asked,
      allow: commands,
      safeBins,
      preset: preset === "careful" ? preset : undefined,
    });
    const rules = Object.entries({
      deny,
      ask,
      allow,
      ...(exec && { exec: Object.fromEntries(given.filter(([, value]) => value !== undefined)) }),
    });
    return repaired(Object.fromEntries(rules.filter(([, value]) => value !== undefined))) as TighteningRules;
  })
  .filter(valid);

property.prop(
  [richConfigs, fc.array(tightening, { minLength: 1, maxLength: 2 }), someFacts, someSubjects, someArgs],
  {
    numRuns: scaleRuns(100, 10),
  },
)(
  "a workspace document never extends rights and never weakens containment",
  (config, added, facts, subjects, args) => {
    const workspace = added.map((each) => ({ config: each, source: "ws.yaml" }));
    const [without, having] = [createPolicy(config, { tools }), createPolicy(config, { tools, workspace })];
    const [before, after] = [without.forSession(facts), having.forSession(facts)];
    for (const each of tools) {
      const [was, is] = [before.call(each, args, subjects), after.call(each, args, subjects)];
      expect([each.id, reach[is.effect] <= reach[was.effect]]).toEqual([each.id, true]);
      if (was.everyTime !== undefined && is.effect === "ask") expect(is.everyTime).toBeDefined();
      expect(reach[after.visibility(each).effect]).toBeLessThanOrEqual(reach[before.visibility(each).effect]);
    }
    expect(having.containment(facts)).toEqual(without.containment(facts));
  },
);
