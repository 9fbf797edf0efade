import { joinWords } from "./join-words.ts";
import type { PolicyConfig, RuleList, SessionRules } from "./policy-config.ts";
import { formatPath, type KeyPath } from "./problems.ts";
import type { ProfileName } from "./profiles.ts";

/** One edit of a policy file. */
export type Change =
  | { op: "add"; scope: KeyPath; list: RuleList; selector: string }
  | { op: "remove"; scope: KeyPath; list: RuleList; index: number; selector: string }
  | { op: "profile"; scope: KeyPath; profile: ProfileName };

/** The configuration with all changes made. Indexes mean the original lists. */
export function applyChanges(config: PolicyConfig, changes: readonly Change[]): PolicyConfig {
  let changed = config;
  // Later entries first, so that removing one does not move the others.
  const ordered = changes.toSorted((a, b) => indexOf(b) - indexOf(a));
  for (const change of ordered)
    changed = updateScope(changed, change.scope, (rules) => applyTo(rules, change));
  return changed;
}

/** `add "write" to sessions.group.grant`, as parts of a sentence; what is added twice is said once. */
export function describeChanges(changes: readonly Change[]): string[] {
  const additions = Map.groupBy(
    changes.filter((change) => change.op === "add"),
    ({ selector }) => selector,
  );
  const parts: string[] = [];
  for (const [selector, places] of additions) {
    const lists = places.map(({ scope, list }) => formatPath([...scope, list]));
    parts.push(`add "${selector}" to ${joinWords(lists)}`);
  }
  for (const change of changes) {
    const { scope } = change;
    if (change.op === "remove") {
      parts.push(`remove "${change.selector}" from ${formatPath([...scope, change.list, change.index])}`);
    } else if (change.op === "profile") {
      parts.push(`set ${formatPath([...scope, "profile"])} to "${change.profile}"`);
    }
  }
  return parts;
}

function applyTo(rules: SessionRules, change: Change): SessionRules {
  switch (change.op) {
    case "add":
      return { ...rules, [change.list]: [...(rules[change.list] ?? []), change.selector] };
    case "remove":
      return { ...rules, [change.list]: rules[change.list]?.toSpliced(change.index, 1) };
    case "profile":
      return { ...rules, profile: change.profile };
  }
}

function updateScope(
  config: PolicyConfig,
  scope: KeyPath,
  update: (rules: SessionRules) => SessionRules,
): PolicyConfig {
  const [part, key] = scope;
  if (part === undefined || key === undefined) return update(config);
  const scopes: Readonly<Record<string, SessionRules>> | undefined = config[part as "sessions" | "agents"];
  const rules = scopes !== undefined && Object.hasOwn(scopes, key) ? scopes[key]! : {};
  // A computed key defines, so even "__proto__" is only a key.
  return { ...config, [part]: { ...scopes, [key]: update(rules) } };
}

function indexOf(change: Change): number {
  return change.op === "remove" ? change.index : -1;
}
