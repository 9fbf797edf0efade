import type { SessionFacts } from "@haft/core";
import type { Catalogue } from "./catalogue.ts";
import type { PolicyConfig, RuleList, SessionRules } from "./policy-config.ts";
import { formatPath, type KeyPath, type PolicyProblem } from "./problems.ts";
import type { ProfileName } from "./profiles.ts";
import { compileList, type CompiledList, type Finding } from "./rules.ts";

/** One layer of rules. All layers have this shape, whatever decides whether they apply. */
export interface Scope {
  readonly grant: CompiledList | undefined;
  readonly deny: CompiledList | undefined;
  readonly ask: CompiledList | undefined;
  readonly allow: (CompiledList & { readonly miss: Finding }) | undefined;
  readonly profile: { readonly name: ProfileName; readonly hit: Finding; readonly miss: Finding } | undefined;
}

/** The layers of a whole policy, and which of them hold for a session. */
export interface Scopes {
  readonly global: Scope;
  readonly sessions: ReadonlyMap<string, Scope>;
  readonly agents: ReadonlyMap<string, Scope>;
}

/** Compiles every scope; anything wrong is added to `problems`. */
export function compileScopes(
  config: PolicyConfig,
  source: string,
  catalogue: Catalogue,
  problems: PolicyProblem[],
): Scopes {
  const compile = (rules: SessionRules, path: KeyPath) =>
    compileScope(rules, path, source, catalogue, problems);
  const each = (part: "sessions" | "agents") =>
    new Map(Object.entries(config[part] ?? {}).map(([key, rules]) => [key, compile(rules, [part, key])]));
  return { global: compile(config, []), sessions: each("sessions"), agents: each("agents") };
}

/** The layers of one session, outermost first. */
export function scopesOf(scopes: Scopes, { kind, agentId }: Pick<SessionFacts, "kind" | "agentId">): Scope[] {
  const layers = [scopes.global, scopes.sessions.get(kind), scopes.agents.get(agentId)];
  return layers.filter((scope) => scope !== undefined);
}

function compileScope(
  rules: SessionRules,
  path: KeyPath,
  source: string,
  catalogue: Catalogue,
  problems: PolicyProblem[],
): Scope {
  const list = (name: RuleList): CompiledList | undefined => {
    const entries = rules[name];
    return entries && compileList(name, entries, path, source, catalogue, problems);
  };
  const allow = list("allow");
  return {
    grant: list("grant"),
    deny: list("deny"),
    ask: list("ask"),
    allow: allow && { ...allow, miss: allowMiss(path, source) },
    profile: rules.profile && profileFindings(rules.profile, path, source),
  };
}

function allowMiss(scope: KeyPath, source: string): Finding {
  const place = `${source}: ${formatPath([...scope, "allow"])}`;
  return {
    layer: "allow",
    rule: "only what allow lists",
    source: place,
    verdict: "deny",
    because: `is not listed in ${place}`,
    remedy: { op: "name", scope, list: "allow" },
  };
}

function profileFindings(name: ProfileName, scope: KeyPath, source: string): NonNullable<Scope["profile"]> {
  const place = `${source}: ${formatPath([...scope, "profile"])}`;
  const base = { layer: "profile", rule: `profile "${name}"`, source: place };
  return {
    name,
    hit: { ...base, verdict: "allow", because: `belongs to ${place} = "${name}"` },
    miss: {
      ...base,
      verdict: "deny",
      because: `does not belong to ${place} = "${name}"`,
      remedy: { op: "widen", scope, profile: name },
    },
  };
}
