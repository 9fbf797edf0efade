import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { agents } from "@haft/guard";
import { describe, expect } from "vitest";
import { ask, payloads } from "../support.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
const names = fc.constantFrom(
  ...Object.values(payloads).flatMap((of) =>
    Object.values(of).map((each) => {
      const { tool_name: one, toolName: other, tool } = each as Record<string, string | undefined>;
      return one ?? other ?? tool ?? "Shell";
    }),
  ),
);
const withKeys = fc.tuple(names, json, json).map(([name, args, rest]) => ({
  ...(rest !== null && typeof rest === "object" ? rest : {}),
  tool_name: name,
  toolName: name,
  tool: name,
  tool_input: args,
  toolArgs: args,
  args,
}));

describe.each([...agents.keys()])("%s", (agent) => {
  test.prop([fc.oneof(json, withKeys)], { numRuns: 60 })(
    "decides about any JSON, or rejects it as an invalid payload",
    async (payload) => {
      try {
        const { answer, verdict } = await ask(agent, payload, {});
        expect([0, 2]).toContain(answer.exitCode);
        expect(verdict.effect).not.toBe("ask");
      } catch (thrown) {
        expect(HaftError.is(thrown) && thrown.code).toBe("GUARD_PAYLOAD");
      }
    },
  );

  test.prop([withKeys], { numRuns: 60 })(
    "never allows a call that a rule for everything denies",
    async (payload) => {
      try {
        const { verdict, answer } = await ask(agent, payload, { deny: ["*"] });
        expect(verdict.effect).toBe("deny");
        expect(answer.stdout).toMatch(/deny|block/);
      } catch (thrown) {
        expect(HaftError.is(thrown) && thrown.code).toBe("GUARD_PAYLOAD");
      }
    },
  );
});
