import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createPolicy } from "../../src/create-policy.ts";
import { splitTightening } from "../../src/read/check-tightening.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { reach, session, tool, tools, valid } from "../fixtures.ts";
import { richConfigs, someArgs, someFacts, someSubjects } from "../random-policies.ts";

// What somebody trusted in a workspace grants, and lifts nothing that other documents hold back.

const having = (config: PolicyConfig, ...trusted: PolicyConfig[]) =>
  createPolicy(config, {
    tools,
    workspace: trusted.map((each) => ({ config: each, source: "trusted.yaml", trusted: true })),
  });
const effect = (made: ReturnType<typeof createPolicy>, name: string) =>
  made.forSession(session("group")).call(tool(name), {}).effect;

describe("keys that a trusted document may not have", () => {
  test.each([
    [{ mode: "off" }, /mode: Rules of a workspace always apply, so they cannot be "off"/],
    [{ mode: "shadow" }, /mode: /],
    [{ exec: { elevated: { mode: "full", senders: ["*"] } } }, /exec\.elevated: It lets calls exceed/],
    [{ sessions: { main: { exec: { elevated: { mode: "ask" } } } } }, /sessions\.main\.exec\.elevated: /],
    [{ subagents: { exec: { elevated: { mode: "ask" } } } }, /subagents\.exec\.elevated: /],
    [{ grant: ["raed"] }, /Did you mean "read"/],
  ])("rejects %j", (config, message) => {
    expect(() => having({}, config as PolicyConfig)).toThrow(
      expect.objectContaining({ code: "POLICY_INVALID", message: expect.stringMatching(message) }),
    );
  });
});

describe("rules of a trusted document", () => {
  test("grant and enable optional tools, but do not lift denials and questions of others", () => {
    const grants = { grant: ["write", "extras/secret_scan"] };
    expect(effect(having({}, grants), "write")).toBe("allow");
    expect(effect(having({}, grants), "extras/secret_scan")).toBe("allow");
    expect(effect(having({ deny: ["write"] }, grants), "write")).toBe("deny");
    expect(effect(having({ ask: ["write"] }, grants), "write")).toBe("ask");
    expect(effect(having({ allow: ["read"] }, grants), "write")).toBe("deny");
    expect(effect(having({}, grants, { deny: ["write"] }), "write")).toBe("deny");
  });

  test("may distinguish sessions and apply regardless of the policy's mode", () => {
    const rules = { sessions: { group: { deny: ["read"] } } };
    expect(effect(having({ mode: "off" }, rules), "read")).toBe("deny");
    expect(having({}, rules).forSession(session("main")).call(tool("read"), {}).effect).toBe("allow");
  });

  test("may require containment if no other document does", () => {
    expect(having({}, { exec: { preset: "contained" } }).containment(session("main"))).toMatchObject({
      mode: "workspace",
    });
  });
});

test("splits a document into tightening rules and other keys", () => {
  const { rules, beyond } = splitTightening({
    deny: ["exec"],
    grant: ["write"],
    exec: { preset: "contained", ask: "always", network: "full" },
    sessions: {},
  });
  expect(rules).toEqual({ deny: ["exec"], exec: { ask: "always" } });
  expect(beyond.map(({ path }) => path.join("."))).toEqual([
    "grant",
    "sessions",
    "exec.network",
    "exec.preset",
  ]);
});

const harmless = richConfigs
  .map((config) => {
    const text = JSON.stringify(config, (key, value: unknown) =>
      ["grant", "mode", "elevated"].includes(key) ? undefined : value,
    );
    return JSON.parse(text) as PolicyConfig;
  })
  .filter(valid);

property.prop(
  [richConfigs, fc.array(harmless, { minLength: 1, maxLength: 2 }), someFacts, someSubjects, someArgs],
  {
    numRuns: scaleRuns(100, 10),
  },
)("a trusted document without grants never extends rights", (config, trusted, facts, subjects, args) => {
  const [before, after] = [having(config).forSession(facts), having(config, ...trusted).forSession(facts)];
  for (const each of tools.filter(({ optional }) => !optional)) {
    const [was, is] = [before.call(each, args, subjects), after.call(each, args, subjects)];
    expect([each.id, reach[is.effect] <= reach[was.effect]]).toEqual([each.id, true]);
    if (was.everyTime !== undefined && is.effect === "ask") expect(is.everyTime).toBeDefined();
  }
});

property.prop([richConfigs, richConfigs, someFacts, someSubjects, someArgs], { numRuns: scaleRuns(100, 10) })(
  "the tightening rules of a valid document are valid and never extend rights",
  (config, whole, facts, subjects, args) => {
    const { rules } = splitTightening(whole);
    const made = createPolicy(config, { tools, workspace: [{ config: rules, source: "ws.yaml" }] });
    const before = having(config).forSession(facts);
    for (const each of tools) {
      const is = made.forSession(facts).call(each, args, subjects).effect;
      expect(reach[is]).toBeLessThanOrEqual(reach[before.call(each, args, subjects).effect]);
    }
  },
);
