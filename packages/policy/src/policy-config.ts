import type { SessionKind } from "@haft/core";
import { nearestNames } from "@haft/core";
import { formatPath, type KeyPath, policyInvalid, type PolicyProblem } from "./problems.ts";
import { type ProfileName, profileNames } from "./profiles.ts";
import { parseSelector } from "./selector.ts";

/**
 * Rules of one scope. Each entry of a list is a selector: `*`, a tool name, a name with `*`
 * (`sessions_*`), `plugin/name`, a plugin id, `group:fs`, `group:plugins` (everything that did
 * not come with Haft) or `effect:write`.
 */
export interface SessionRules {
  /** Only the tools of this profile. */
  profile?: ProfileName;
  /** Only these. Naming an optional tool here also switches it on. */
  allow?: readonly string[];
  /** Never these, whatever else is said. */
  deny?: readonly string[];
  /** These only after somebody approved the call. */
  ask?: readonly string[];
  /** Lifts cells of the session table that are denied unless granted, and switches on optional tools. */
  grant?: readonly string[];
}

/**
 * A policy as it stands in a file. The root holds for every session, `sessions` for those of one
 * kind, `agents` for those of one agent. Scopes add up: each can only take away from the session
 * table, except `grant`, which lifts what the table leaves to the operator.
 */
export interface PolicyConfig extends SessionRules {
  sessions?: Partial<Record<SessionKind, SessionRules>>;
  agents?: Readonly<Record<string, SessionRules>>;
}

/** The lists of a scope, in the order in which they are looked at. */
const ruleLists = ["grant", "deny", "allow", "ask"] as const;
export type RuleList = (typeof ruleLists)[number];

export const sessionKinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

const ruleKeys = ["profile", ...ruleLists];
const rootKeys = [...ruleKeys, "sessions", "agents"];

/**
 * Checks everything about a policy that can be known without the tools of a host.
 *
 * @param value what was parsed from the file
 * @param source the file's name, for messages
 * @throws HaftError `POLICY_INVALID` with every problem and its key path in `details.problems`
 */
export function parsePolicyConfig(value: unknown, source = "the policy"): PolicyConfig {
  const problems: PolicyProblem[] = [];
  const config = readPolicyConfig(value, problems);
  if (problems.length > 0) throw policyInvalid(source, problems);
  return config;
}

/** As {@link parsePolicyConfig}, but collects problems and answers what can be used of the rest. */
export function readPolicyConfig(value: unknown, problems: PolicyProblem[]): PolicyConfig {
  const root = readObject(value, [], rootKeys, problems);
  const config: PolicyConfig = readRules(root, [], problems);
  if (root["sessions"] !== undefined) {
    const sessions = readObject(root["sessions"], ["sessions"], sessionKinds, problems);
    config.sessions = readScopes(sessions, ["sessions"], problems);
  }
  if (root["agents"] !== undefined) {
    config.agents = readScopes(
      readObject(root["agents"], ["agents"], undefined, problems),
      ["agents"],
      problems,
    );
  }
  return config;
}

function readScopes(value: Record<string, unknown>, path: KeyPath, problems: PolicyProblem[]) {
  // fromEntries defines keys, so a key like "__proto__" stays an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, rules]) => {
      const scope = [...path, key];
      return [key, readRules(readObject(rules, scope, ruleKeys, problems), scope, problems)];
    }),
  );
}

function readRules(value: Record<string, unknown>, path: KeyPath, problems: PolicyProblem[]): SessionRules {
  const rules: SessionRules = {};
  const profile = value["profile"];
  if (profile !== undefined) {
    if (isProfileName(profile)) rules.profile = profile;
    else {
      problems.push({
        path: formatPath([...path, "profile"]),
        message: `${show(profile)} is not a profile; there are ${profileNames.join(", ")}.`,
        nearest: typeof profile === "string" ? nearestNames(profile, profileNames) : [],
      });
    }
  }
  for (const list of ruleLists) {
    if (value[list] !== undefined) rules[list] = readList(value[list], [...path, list], problems);
  }
  if (value["allow"] !== undefined && Array.isArray(value["allow"]) && value["allow"].length === 0) {
    problems.push({
      path: formatPath([...path, "allow"]),
      message: 'An empty list would allow nothing; leave it out to allow everything, or deny "*".',
    });
  }
  for (const list of ["allow", "grant"] as const) {
    for (const [index, selector] of (rules[list] ?? []).entries()) {
      const denied = rules.deny?.indexOf(selector) ?? -1;
      if (denied < 0 || selector === "") continue;
      problems.push({
        path: formatPath([...path, list, index]),
        message: `"${selector}" is also denied, by ${formatPath([...path, "deny", denied])}; deny wins, so remove one.`,
      });
    }
  }
  return rules;
}

function readList(value: unknown, path: KeyPath, problems: PolicyProblem[]): string[] {
  if (!Array.isArray(value)) {
    problems.push({ path: formatPath(path), message: `Expected a list of selectors, got ${show(value)}.` });
    return [];
  }
  const selectors: string[] = [];
  for (const [index, entry] of value.entries()) {
    const parsed =
      typeof entry === "string" ? parseSelector(entry) : { message: `Expected text, got ${show(entry)}.` };
    if ("message" in parsed) problems.push({ path: formatPath([...path, index]), ...parsed });
    // A bad entry keeps its place, so that the paths of later problems stay right.
    selectors.push(typeof entry === "string" ? entry : "");
  }
  return selectors;
}

/** The own enumerable fields of an object, or nothing and a problem. */
function readObject(
  value: unknown,
  path: KeyPath,
  known: readonly string[] | undefined,
  problems: PolicyProblem[],
): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.push({ path: formatPath(path), message: `Expected an object, got ${show(value)}.` });
    return Object.create(null) as Record<string, unknown>;
  }
  const fields = Object.assign(Object.create(null) as Record<string, unknown>, value);
  for (const key of known === undefined ? [] : Object.keys(value)) {
    if (known!.includes(key)) continue;
    problems.push({
      path: formatPath([...path, key]),
      message: `There is no such key; known here: ${known!.join(", ")}.`,
      nearest: nearestNames(key, known!),
    });
    delete fields[key];
  }
  return fields;
}

function isProfileName(value: unknown): value is ProfileName {
  return (profileNames as readonly unknown[]).includes(value);
}

function show(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : (JSON.stringify(value) ?? typeof value);
}
