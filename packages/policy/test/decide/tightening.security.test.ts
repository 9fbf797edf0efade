import { fc, test } from "@fast-check/vitest";
import type { ContainmentFacts, SessionFacts } from "@haft/core";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { checkSource, createPolicy } from "../../src/create-policy.ts";
import { findFix } from "../../src/decide/fix.ts";
import { createLayers } from "../../src/decide/layers.ts";
import { applyChanges } from "../../src/read/change.ts";
import type { PolicyConfig, SessionRules } from "../../src/read/policy-config.ts";
import { createCatalogue } from "../../src/rules/catalogue.ts";
import { compilePolicy } from "../../src/rules/compile-policy.ts";
import { isNarrower } from "../../src/rules/network.ts";
import { anyTool, policy, reach, repaired, tools, valid } from "../fixtures.ts";
import { richConfigs, richRules, someArgs, someFacts, someSubjects } from "../random-policies.ts";

const scopes = [
  [],
  ["sessions", "main"],
  ["sessions", "group"],
  ["models", "acme"],
  ["models", "acme/large"],
  ["agents", "ada"],
  ["channels", "chat"],
  ["groups", "room"],
  ["subagents"],
] as const;

/** The policy with more rules in a scope, as far as that had none of their kind. */
function withMore(config: PolicyConfig, [part, key]: readonly string[], added: SessionRules): PolicyConfig {
  const at = (value: unknown, name: string | undefined): Record<string, unknown> =>
    ((name === undefined ? value : (value as Record<string, unknown>)[name]) ?? {}) as Record<
      string,
      unknown
    >;
  const scope = at(at(config, part), key);
  const inner = { ...added, ...scope };
  if (part === undefined) return inner;
  return { ...config, [part]: key === undefined ? inner : { ...at(config, part), [key]: inner } };
}

const addedRules = richRules.map(({ grant: _grant, ...rules }): SessionRules => repaired(rules));

test.prop([richConfigs, fc.constantFrom(...scopes), addedRules, someFacts, someSubjects, someArgs], {
  numRuns: scaleRuns(60, 8),
})(
  "additional rules never extend rights, except by grant or by naming an optional tool",
  (config, scope, added, facts, subjects, args) => {
    const more = withMore(config, scope, added);
    fc.pre(valid(more));
    const before = policy(config).forSession(facts);
    const after = policy(more).forSession(facts);
    for (const tool of tools.filter(({ optional }) => !optional)) {
      const [was, is] = [before.call(tool, args, subjects), after.call(tool, args, subjects)];
      expect([tool.id, reach[is.effect] <= reach[was.effect]]).toEqual([tool.id, true]);
      // What was to be asked about every time still is, unless it is denied now.
      if (was.everyTime !== undefined && is.effect === "ask") expect(is.everyTime).toBeDefined();
      expect(reach[after.visibility(tool).effect]).toBeLessThanOrEqual(reach[before.visibility(tool).effect]);
    }
  },
);

const strictness = { workspace: 0, "read-only": 1 };

test.prop([richConfigs, fc.constantFrom(...scopes), addedRules, someFacts], { numRuns: scaleRuns(100, 8) })(
  "additional rules never weaken the containment of commands",
  (config, scope, added, facts) => {
    const more = withMore(config, scope, added);
    fc.pre(valid(more));
    const [was, is] = [policy(config).containment(facts), policy(more).containment(facts)];
    if (was === undefined) return;
    expect(is).toBeDefined();
    expect(strictness[is!.mode]).toBeGreaterThanOrEqual(strictness[was.mode]);
    expect(isNarrower(is!.network, was.network)).toBe(true);
    for (const folder of was.caches === undefined ? [] : is!.caches!)
      expect(was.caches!.some((each) => `${folder}/`.startsWith(`${each}/`))).toBe(true);
    expect(is!.usesHostCaches || !was.usesHostCaches).toBe(true);
  },
);

test.prop([richConfigs, richConfigs, someFacts, someSubjects, someArgs], { numRuns: scaleRuns(100, 8) })(
  "an administrator's document only restricts, except by grant or by naming an optional tool",
  (config, { grant: _grant, ...above }, facts, subjects, args) => {
    const administrator = JSON.parse(
      JSON.stringify(above, (key, value: unknown) => (key === "grant" ? undefined : value)),
    ) as PolicyConfig;
    const before = policy(config).forSession(facts);
    const made = createPolicy(config, {
      tools,
      administrator: { config: administrator, source: "admin.json" },
    });
    for (const tool of tools.filter(({ optional }) => !optional)) {
      const is = made.forSession(facts).call(tool, args, subjects).effect;
      expect(reach[is]).toBeLessThanOrEqual(reach[before.call(tool, args, subjects).effect]);
    }
  },
);

test.prop([richConfigs, someFacts, someFacts, someSubjects, someArgs], { numRuns: scaleRuns(100, 8) })(
  "a session has at most the rights of its parent",
  (config, facts, above, subjects, args) => {
    fc.pre(facts.kind !== "sandboxed");
    const { parent: _parent, containment: _containment, ...own } = facts;
    // Commands of the one run where those of the other do: a child that is contained by itself is asked less.
    const { containment } = above;
    const child = policy(config).forSession({ ...own, ...(containment && { containment }), parent: above });
    const parent = policy(config).forSession(above);
    for (const tool of tools) {
      // Where the parent's sandbox makes a command harmless, the child has none.
      const is = child.call(tool, args, subjects).effect;
      expect([tool.id, reach[is] <= reach[parent.call(tool, args, subjects).effect]]).toEqual([
        tool.id,
        true,
      ]);
    }
  },
);

test.prop([richConfigs, someFacts, someSubjects, someArgs], { numRuns: scaleRuns(100, 8) })(
  "denies calls of hidden tools, and decides all calls alike if no rule depends on them",
  (config, facts, subjects, args) => {
    const made = policy(config).forSession(facts);
    for (const tool of tools) {
      const decision = made.call(tool, args, subjects);
      if (made.visibility(tool).effect === "deny") expect(decision.effect).toBe("deny");
      expect(decision.everyTime === undefined || decision.effect === "ask").toBe(true);
    }
  },
);

test.prop([richConfigs, someFacts, someSubjects, someArgs, anyTool], { numRuns: scaleRuns(100, 8) })(
  "explains the decision with every rule and its position",
  (config, facts, subjects, args, tool) => {
    const decision = policy(config).forSession(facts).call(tool, args, subjects);
    const explanation = policy(config).explain(facts, tool, args, subjects);
    expect(explanation).toMatchObject({
      known: true,
      call: { effect: decision.effect, id: decision.id, reason: decision.reason },
    });
    if (!explanation.known) return;
    expect(explanation.trace.filter(({ decided }) => decided).map(({ verdict }) => verdict)).toEqual([
      decision.effect,
    ]);
    const strictest = explanation.trace.reduce((worst, { verdict }) => {
      return verdict === "pass" ? worst : Math.min(worst, reach[verdict]);
    }, 2);
    expect(strictest).toBe(reach[decision.effect]);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  },
);

test.prop([richConfigs, someFacts, someSubjects, someArgs, anyTool], { numRuns: scaleRuns(80, 8) })(
  "offers fixes that work and contain no unnecessary change",
  (config, facts, subjects, args, tool) => {
    const catalogue = createCatalogue(tools);
    const made = compilePolicy(
      { policy: { document: { owner: "policy", name: "p" }, config } },
      catalogue,
      checkSource,
    );
    if (made.problem) throw new Error("not valid");
    const layers = createLayers(made.compiled, facts);
    const context = { sources: made.sources, catalogue, check: checkSource, shadow: false };
    const fix = findFix(tool, { args, subjects }, layers, context);
    const before = policy(config).forSession(facts).call(tool, args, subjects);
    if (before.effect === "allow") expect(fix).toBeUndefined();
    if (!fix) return;
    const effectWith = (changes: typeof fix.changes) => {
      const changed = applyChanges(config, changes);
      if (!valid(changed)) return "deny";
      const after = contained(facts, policy(config).containment(facts), policy(changed).containment(facts));
      return policy(changed).forSession(after).call(tool, args, subjects).effect;
    };
    expect(reach[effectWith(fix.changes)]).toBeGreaterThan(reach[before.effect]);
    for (const left of fix.changes) {
      const rest = fix.changes.filter((change) => change !== left);
      if (rest.length > 0) expect(reach[effectWith(rest)]).toBeLessThanOrEqual(reach[before.effect]);
    }
  },
);

/** A session that is contained as the policy wants it is contained as it wants it then. */
function contained(
  facts: SessionFacts,
  was: ContainmentFacts | undefined,
  is: ContainmentFacts | undefined,
): SessionFacts {
  const { containment, ...others } = facts;
  const sorted = (network: ContainmentFacts["network"] | undefined) =>
    typeof network === "object" ? network.toSorted() : network;
  const asWanted =
    was?.mode === containment?.mode &&
    JSON.stringify(sorted(was?.network)) === JSON.stringify(sorted(containment?.network));
  if (containment === undefined || !asWanted) return facts;
  return is === undefined ? others : { ...others, containment: { mode: is.mode, network: is.network } };
}

type Slip = (word: string) => string;

/**
 * Every key and word of a policy that has a meaning of its own: not the names of agents, models and people, nor what
 * stands in patterns. Each answers the policy with a slip in that place.
 */
function slips(
  value: unknown,
  at: (changed: unknown) => unknown = (changed) => changed,
  part = "",
): ((slip: Slip) => unknown)[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => slips(entry, (changed) => at(value.with(index, changed)), part));
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    const named = ["models", "agents", "channels", "groups"].includes(part);
    return fields.flatMap(([key, inner], index) => {
      const renamed = (slip: Slip) =>
        at(Object.fromEntries(fields.with(index, [slipInWords(key, slip), inner])));
      const within = slips(
        inner,
        (changed) => at(Object.fromEntries(fields.with(index, [key, changed]))),
        named || part === "senders" ? "" : key === "allow" && part === "exec" ? "patterns" : key,
      );
      return named ? within : [renamed, ...within];
    });
  }
  if (typeof value !== "string" || part === "patterns" || part === "safeBins") return [];
  return wordsOf(value).map(
    ({ from, to }) =>
      (slip: Slip) =>
        at(value.slice(0, from) + slip(value.slice(from, to)) + value.slice(to)),
  );
}

/** `id:1` is the word `id` and somebody's name. */
function slipInWords(key: string, slip: Slip): string {
  const [, word = key, rest = ""] = /^(id)(:.*)$/.exec(key) ?? [];
  return slip(word) + rest;
}

/**
 * Where the words of a selector are: in front of the parenthesis, kinds of conditions, names of arguments. A name with
 * `*` is a pattern, which may be any.
 */
function wordsOf(selector: string): { from: number; to: number }[] {
  const open = selector.indexOf("(");
  const head = { from: 0, to: open < 0 ? selector.length : open };
  const inner = [...selector.matchAll(/(?<=\(|, )(?:path|host|arg)(?::[\w.-]+(?==))?/g)].map(
    ({ index, 0: word }) => ({ from: index, to: index + word.length }),
  );
  return selector.slice(0, head.to).includes("*") ? inner : [head, ...inner];
}

const slip: fc.Arbitrary<Slip> = fc
  .tuple(
    fc.nat(),
    fc.constantFrom("z", "q7", "-", "", "Q", " ", ":", "(", "[", ",", "=", ")"),
    fc.constantFrom("for", "in", "swap"),
  )
  .map(([place, text, how]) => (word) => {
    const where = place % (word.length + 1);
    if (how === "swap")
      return (
        word.slice(0, where) +
        word
          .slice(where, where + 2)
          .split("")
          .toReversed()
          .join("") +
        word.slice(where + 2)
      );
    return word.slice(0, where) + text + word.slice(where + (how === "for" ? 1 : 0));
  });

test.prop([richConfigs, fc.nat(), slip, someFacts, someSubjects, someArgs], { numRuns: scaleRuns(300, 8) })(
  "rejects a mistyped rule, or it allows no call that was restricted",
  (config, which, change, facts, subjects, args) => {
    const all = slips(config);
    fc.pre(all.length > 0);
    const mistaken = all[which % all.length]!(change) as PolicyConfig;
    if (!valid(mistaken)) return;
    const before = policy(config).forSession(facts);
    const after = policy(mistaken).forSession(facts);
    for (const tool of tools) {
      const [was, is] = [before.call(tool, args, subjects).effect, after.call(tool, args, subjects).effect];
      expect([tool.id, reach[is] <= reach[was], JSON.stringify(mistaken)]).toEqual([
        tool.id,
        true,
        expect.anything(),
      ]);
    }
  },
);
