import { fc, test as property } from "@fast-check/vitest";
import type { Decision } from "@haft/core";
import type { CallRecord } from "@haft/core/internal";
import { reevaluateCall } from "@haft/core/internal/records";
import { describe, expect, test } from "vitest";
import { createCheckedPolicy } from "../../src/create-checked-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { anyTool, paths, policy, running, session, tool, tools } from "../fixtures.ts";
import { richConfigs, someArgs, someFacts, someSubjects } from "../random-policies.ts";

const run = { facts: session("main") };

function aRecord(name: string, parts: Partial<CallRecord> = {}): CallRecord {
  return {
    seq: 1,
    epoch: 1,
    toolCallId: "a",
    toolName: name,
    status: "completed",
    createdAt: 1,
    tool: tool(name),
    args: {},
    ...parts,
  };
}

/** What is said of it, or that nothing can be. */
function again(config: PolicyConfig, record: CallRecord): Decision["effect"] | "unknown" {
  const decided = reevaluateCall(record, run, policy(config));
  return "decision" in decided ? decided.decision.effect : "unknown";
}

describe("re-evaluating an earlier call", () => {
  test("returns unknown for gaps and calls without a recorded tool", () => {
    const { tool: _, ...bare } = aRecord("read");
    expect(again({}, bare)).toBe("unknown");
    expect(again({}, aRecord("read", { status: "gap" }))).toBe("unknown");
  });

  test("uses the recorded subjects", () => {
    const rm = aRecord("exec", { plan: { subjects: running("rm -rf x") } });
    expect(again({}, rm)).toBe("allow");
    expect(again({ deny: ["exec(rm *)"] }, rm)).toBe("deny");
    expect(again({ ask: ["exec(rm *)"] }, rm)).toBe("ask");
    expect(again({ deny: ["exec(ls *)"] }, rm)).toBe("allow");
    expect(again({ deny: ["exec"] }, rm)).toBe("deny");
    const read = aRecord("read", { plan: { subjects: paths("read", "secret/a") } });
    expect(again({ deny: ["read(path:secret/**)"] }, read)).toBe("deny");
  });

  test("returns unknown if a rule depends on subjects that are missing or masked", () => {
    const rules = { deny: ["exec(rm *)"] };
    expect(again(rules, aRecord("exec"))).toBe("unknown");
    const covered = running("rm -rf [secret]");
    expect(again(rules, aRecord("exec", { plan: { subjects: covered } }))).toBe("unknown");
    const whole = { plan: { subjects: covered }, argsWhole: true as const };
    expect(again(rules, aRecord("exec", whole))).toBe("deny");
    // What holds for any call of the tool holds for this one.
    expect(again({ deny: ["exec"] }, aRecord("exec"))).toBe("deny");
    expect(again({ ask: ["ls"] }, aRecord("exec"))).toBe("allow");
  });

  test("returns unknown if a rule depends on arguments that were not stored", () => {
    const rules = { deny: ["read(arg:limit=5)"] };
    expect(again(rules, aRecord("read", { args: { limit: 5 } }))).toBe("deny");
    expect(again(rules, aRecord("read", { args: { limit: 6 } }))).toBe("allow");
    const { args: _, ...without } = aRecord("read");
    for (const record of [
      without as CallRecord,
      aRecord("read", { args: { limit: "[secret]" } }),
      aRecord("read", { args: { path: { head: "a", bytes: 20_000, sha256: "00" } } }),
    ]) {
      expect(again(rules, record)).toBe("unknown");
      expect(again({ deny: ["read"] }, record)).toBe("deny");
      expect(again({}, record)).toBe("allow");
    }
  });

  test("still asks if consent or a hook required approval", () => {
    const consent = [{ place: "/p", reason: "It changes settings." }];
    expect(again({}, aRecord("write", { plan: { subjects: {}, consent } }))).toBe("ask");
    const decision = { effect: "ask", id: "x", reason: "The hook asks.", layer: "hook" } as const;
    expect(again({}, aRecord("write", { decision }))).toBe("ask");
    expect(again({ deny: ["write"] }, aRecord("write", { decision }))).toBe("deny");
  });
});

property.prop([richConfigs, someFacts, anyTool, someArgs, someSubjects, fc.boolean()])(
  "a checked document decides the same after conversion to JSON and back",
  (config, facts, tool, args, subjects, isCall) => {
    const checked = policy(config);
    const kept = JSON.parse(JSON.stringify(checked.config)) as PolicyConfig;
    const again = createCheckedPolicy(kept, { tools, source: "policy.json" });
    const ask = ({ forSession }: Pick<typeof checked, "forSession">) => {
      const session = forSession(facts);
      const decision = isCall ? session.call(tool, args, subjects) : session.visibility(tool);
      const { effect, id, reason, trace } = decision;
      return { effect, id, reason, trace, hasFix: decision.fix !== undefined };
    };
    const [wanted, found] = [ask(checked), ask(again)];
    expect({ ...found, hasFix: found.hasFix || !wanted.hasFix }).toEqual({ ...wanted, hasFix: true });
  },
);
