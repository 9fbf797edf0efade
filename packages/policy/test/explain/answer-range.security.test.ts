import { fc, test } from "@fast-check/vitest";
import type { CallSubjects, SessionFacts } from "@haft/core";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { getOutsideReason } from "../../src/decide/resolve-containment.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { toContainmentView } from "../../src/rules/containment.ts";
import { policy, reach, tools, valid } from "../fixtures.ts";
import { richConfigs, someArgs, someFacts, someSubjects } from "../random-policies.ts";

// The bounds of answers that the inspector's page for owners is made of. No call gets more than they say.

const elevated = fc.record(
  {
    mode: fc.constantFrom("full" as const, "ask" as const, "off" as const),
    senders: fc.uniqueArray(fc.constantFrom("id:1", "*", "chat/id:2"), { minLength: 1 }),
  },
  { requiredKeys: ["mode"] },
);

/** Policies in which some people may do more than others. */
const openingConfigs: fc.Arbitrary<PolicyConfig> = fc
  .tuple(richConfigs, fc.option(elevated, { nil: undefined }), fc.constantFrom("root", "group", "channel"))
  .map(([config, more, where]): PolicyConfig => {
    if (more === undefined) return config;
    const rules = { exec: { elevated: more } };
    if (where === "root") return { ...config, exec: { ...config.exec, ...rules.exec } };
    if (where === "group") return { ...config, groups: { ...config.groups, hall: rules } };
    return { ...config, channels: { ...config.channels, chat: rules } };
  })
  .filter(valid);

const onNodes: fc.Arbitrary<CallSubjects> = fc.record({
  node: fc.record({
    id: fc.constant("n1"),
    name: fc.constant("laptop"),
    command: fc.constantFrom("look", "say"),
    effects: fc.subarray(["read", "write", "network", "message"] as const),
  }),
});

const COMMANDS = new Set(["exec", "bash"]);

const words = { allow: "allow", ask: "ask", grant: "deny", deny: "deny" } as const;

test.prop([openingConfigs, someFacts, fc.oneof(someSubjects, onNodes), someArgs, fc.boolean()], {
  numRuns: scaleRuns(1_000, 10),
})("bounds the answers to all calls of a tool", (config, facts, subjects, args, open) => {
  const rules = policy(config);
  const known: SessionFacts = open ? unknownIn(facts) : facts;
  for (const tool of tools) {
    const session = rules.forSession(facts);
    // What is hidden is not called.
    if (session.visibility(tool).effect === "deny") continue;
    const { effect } = session.call(tool, args, subjects);
    const range = rules.answerRange(known, tool, { open });
    const leaves = getOutsideReason(toContainmentView(facts), tool, { args, subjects }) !== undefined;
    const bound = words[leaves ? range.outside : range.mildest];
    // A call of a tool acts on a node only where the tool is for nodes, or starts commands.
    if (subjects?.node !== undefined && tool.name !== "node_invoke") continue;
    // A call of these always has a command in its plan.
    if (subjects !== undefined && !subjects.command && COMMANDS.has(tool.name)) continue;
    // A command is a command whatever its tool says it does: where rules for it are lifted, the tool has no say.
    if (leaves && !tool.effects.includes("execute")) continue;
    const isWithin = reach[effect] <= reach[bound];
    expect({ tool: tool.id, isWithin, effect, bound, range }).toMatchObject({ isWithin: true });
  }
});

/** What a page about any such session knows of one. */
function unknownIn({ kind, agentId, containment, sandbox }: SessionFacts): SessionFacts {
  return {
    kind,
    agentId,
    model: "",
    messageChannel: "",
    ...(containment && { containment }),
    ...(sandbox && { sandbox }),
  };
}
