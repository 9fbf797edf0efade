import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { checkSource } from "../../src/create-policy.ts";
import { findFix } from "../../src/decide/fix.ts";
import { createLayers } from "../../src/decide/layers.ts";
import { namesTools, parseSelector } from "../../src/patterns/selector.ts";
import { applyChanges } from "../../src/read/change.ts";
import type { PolicyConfig, SessionRules } from "../../src/read/policy-config.ts";
import { createCatalogue } from "../../src/rules/catalogue.ts";
import { compilePolicy } from "../../src/rules/compile-policy.ts";
import {
  agentIds,
  anyTool,
  configs,
  kinds,
  policy,
  reach,
  rules,
  selectors,
  session,
  tools,
  valid,
} from "../fixtures.ts";
import { evaluateReference } from "../reference-policy.ts";

const scopeNames = fc.constantFrom("root", "sessions", "agents");

/** `config` with `rules` in one more place, which must not have been taken. */
function withScope(
  config: PolicyConfig,
  where: string,
  key: string,
  added: SessionRules,
): PolicyConfig | undefined {
  if (where === "root") {
    const taken = Object.keys(added).some((name) => Object.hasOwn(config, name));
    return taken ? undefined : { ...config, ...added };
  }
  const scopes: Readonly<Record<string, SessionRules>> | undefined = config[where as "sessions" | "agents"];
  const existing = scopes?.[key] ?? {};
  if (Object.keys(added).some((name) => Object.hasOwn(existing, name))) return undefined;
  return { ...config, [where]: { ...scopes, [key]: { ...existing, ...added } } };
}

test.prop([configs, kinds, agentIds], { numRuns: scaleRuns(300, 8) })(
  "decides exactly like the reference implementation",
  (config, kind, agent) => {
    const made = policy(config).forSession(session(kind, agent));
    for (const tool of tools) {
      const expected = evaluateReference(config, kind, agent, tool);
      expect([tool.id, made.call(tool, {}).effect]).toEqual([tool.id, expected]);
      expect(made.visibility(tool).effect).toBe(expected === "deny" ? "deny" : "allow");
    }
  },
);

test.prop([configs, kinds, agentIds, anyTool], { numRuns: scaleRuns(100, 6) })(
  "a denial in any layer wins",
  (config, kind, agent, tool) => {
    const denied: PolicyConfig[] = [
      { ...config, deny: [...(config.deny ?? []), tool.id] },
      {
        ...config,
        sessions: { ...config.sessions, [kind]: { ...config.sessions?.[kind], deny: [tool.id] } },
      },
      { ...config, agents: { ...config.agents, [agent]: { ...config.agents?.[agent], deny: [tool.id] } } },
    ];
    for (const each of denied.filter(valid)) {
      expect(policy(each).forSession(session(kind, agent)).call(tool, {}).effect).toBe("deny");
      expect(policy(each).forSession(session(kind, agent)).visibility(tool).effect).toBe("deny");
    }
  },
);

test.prop([configs, rules, scopeNames, kinds, agentIds], { numRuns: scaleRuns(100, 6) })(
  "additional rules never extend rights, except by grant or by naming an optional tool",
  (config, { grant: _grant, ...added }, where, kind, agent) => {
    const more = withScope(config, where, where === "sessions" ? kind : agent, added);
    fc.pre(more !== undefined && valid(more));
    for (const agentId of [agent, "eve"]) {
      const before = policy(config).forSession(session(kind, agentId));
      const after = policy(more).forSession(session(kind, agentId));
      for (const tool of tools.filter(({ optional }) => !optional)) {
        expect(reach[after.call(tool, {}).effect]).toBeLessThanOrEqual(reach[before.call(tool, {}).effect]);
        expect(reach[after.visibility(tool).effect]).toBeLessThanOrEqual(
          reach[before.visibility(tool).effect],
        );
      }
    }
  },
);

test.prop([configs, kinds, agentIds], { numRuns: scaleRuns(100, 6) })(
  "ignores the order of entries and of keys",
  (config, kind, agent) => {
    const turned = (scope: SessionRules): SessionRules =>
      Object.fromEntries(
        Object.entries(scope)
          .toReversed()
          .map(([key, value]) => [key, Array.isArray(value) ? value.toReversed() : turnedScopes(value)]),
      );
    const turnedScopes = (value: unknown): unknown =>
      typeof value === "object" ? turned(value as SessionRules) : value;
    const before = policy(config).forSession(session(kind, agent));
    const after = policy(turned(config)).forSession(session(kind, agent));
    for (const tool of tools) expect(after.call(tool, {}).effect).toBe(before.call(tool, {}).effect);
  },
);

test.prop([configs, kinds, agentIds, anyTool], { numRuns: scaleRuns(100, 6) })(
  "offers fixes that work and contain no unnecessary change",
  (config, kind, agent, tool) => {
    const facts = session(kind, agent);
    const catalogue = createCatalogue(tools);
    const made = compilePolicy(
      { policy: { document: { owner: "policy", name: "p" }, config } },
      catalogue,
      checkSource,
    );
    if (made.problem) throw new Error("not valid");
    const layers = createLayers(made.compiled, facts);
    const fix = findFix(tool, { args: {} }, layers, {
      sources: made.sources,
      catalogue,
      check: checkSource,
      shadow: false,
    });
    const before = policy(config).forSession(facts).call(tool, {});
    if (before.effect === "allow") {
      expect(fix).toBeUndefined();
      return;
    }
    // Only what the table asks for itself cannot be helped.
    if (before.effect === "deny") expect(fix).toBeDefined();
    if (!fix) return;
    const effectWith = (changes: typeof fix.changes) => {
      const changed = applyChanges(config, changes);
      return valid(changed) ? policy(changed).forSession(facts).call(tool, {}).effect : "deny";
    };
    expect(reach[effectWith(fix.changes)]).toBeGreaterThan(reach[before.effect]);
    for (const left of fix.changes) {
      const rest = fix.changes.filter((change) => change !== left);
      expect(reach[effectWith(rest)]).toBeLessThanOrEqual(reach[before.effect]);
    }
  },
);

test.prop([configs, kinds, agentIds, anyTool], { numRuns: scaleRuns(100, 6) })(
  "explains the same decision as the evaluator",
  (config, kind, agent, tool) => {
    const made = policy(config);
    const facts = session(kind, agent);
    const explanation = made.explain(facts, tool);
    const decisions = made.forSession(facts);
    expect(explanation).toMatchObject({
      known: true,
      visibility: { effect: decisions.visibility(tool).effect, id: decisions.visibility(tool).id },
      call: { effect: decisions.call(tool, {}).effect, reason: decisions.call(tool, {}).reason },
    });
    if (!explanation.known) return;
    const deciding = explanation.trace.filter(({ decided }) => decided);
    expect(deciding.map(({ verdict }) => verdict)).toEqual([explanation.call.effect]);
    const strictest = explanation.trace.reduce((worst, { verdict }) => {
      return verdict === "pass" ? worst : Math.min(worst, reach[verdict]);
    }, 2);
    expect(strictest).toBe(reach[explanation.call.effect]);
  },
);

test.prop([configs, kinds, agentIds], { numRuns: scaleRuns(100, 6) })(
  "limits sessions to their table, grants and named optional tools",
  (config, kind, agent) => {
    const bare = policy({ grant: ["*", "group:plugins"] }).forSession(session(kind));
    const made = policy(config).forSession(session(kind, agent));
    for (const tool of tools) {
      expect(reach[made.call(tool, {}).effect]).toBeLessThanOrEqual(reach[bare.call(tool, {}).effect]);
    }
    const lists = [config, config.sessions?.[kind], config.agents?.[agent]].map(
      (scope) => scope?.grant ?? [],
    );
    if (lists.flat().length > 0) return;
    const ungranted = policy({}).forSession(session(kind));
    for (const tool of tools.filter(({ optional }) => !optional)) {
      expect(reach[made.call(tool, {}).effect]).toBeLessThanOrEqual(reach[ungranted.call(tool, {}).effect]);
    }
  },
);

test.prop(
  [
    fc.constantFrom(...selectors.filter((selector) => selector !== "*")),
    fc.constantFrom("allow", "deny", "ask", "grant"),
    fc.nat(),
    fc.constantFrom("z", "Q", " ", ":", "9", ""),
  ],
  { numRuns: scaleRuns(100, 6) },
)("rejects a mistyped selector, or it is at least as narrow", (selector, list, place, slip) => {
  const at = place % selector.length;
  const typo = selector.slice(0, at) + slip + selector.slice(at + 1);
  fc.pre(typo !== selector && typo !== "");
  const config = { [list]: [typo] };
  const parsed = parseSelector(typo);
  if (!valid(config)) return;
  // What is left are other true names: patterns, names and ids that do exist.
  expect("target" in parsed).toBe(true);
  const right = policy({ deny: [typo] });
  expect(tools.some((tool) => right.forSession(session("main")).call(tool, {}).effect === "deny")).toBe(true);
  if ("target" in parsed && namesTools(parsed)) expect(tools.some(({ id }) => id === typo)).toBe(true);
});
