import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { decideChecked } from "../../src/decide-checked.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { anyTool, policy, tools } from "../fixtures.ts";
import { richConfigs, someArgs, someFacts, someSubjects } from "../random-policies.ts";

test.prop([richConfigs, someFacts, anyTool, someArgs, someSubjects, fc.boolean()])(
  "a checked document decides the same after a round through JSON",
  (config, facts, tool, args, subjects, isCall) => {
    const checked = policy(config);
    const kept = JSON.parse(JSON.stringify(checked.config)) as PolicyConfig;
    const again = decideChecked(kept, { tools, source: "policy.json" });
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
