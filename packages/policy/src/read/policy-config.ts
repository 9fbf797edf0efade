import type { SessionKind } from "@haft/core";
import { type ProfileName, profileNames } from "../patterns/profiles.ts";
import { formatSelector, parseSelector } from "../patterns/selector.ts";
import { type ExecRules, readExec } from "./exec-config.ts";
import { formatPath, type KeyPath, policyInvalid, type Positions, Problems } from "./problems.ts";
import { readObject, readTexts, readWord, show } from "./read-values.ts";
import { nameProblem } from "./scope-name.ts";
import { formatSenderKey, parseSenderKey } from "./sender-key.ts";

/**
 * Rules of one scope. Each entry of a list is a selector: `*`, a tool name, a name with `*`
 * (`sessions_*`), `plugin/name`, a plugin id, `group:fs`, `group:plugins` (everything that did
 * not come with Haft) or `effect:write`. It may go on with an action (`process:kill`) and with
 * conditions: `exec(git status*)`, `read(path:src/**)`, `web_fetch(host:*.example.com)`,
 * `send(arg:to=*@example.com)`.
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
  /** How freely commands run. */
  exec?: ExecRules;
}

/**
 * Whether the rules of a document hold. `shadow`: they decide nothing, but what they would have decided is
 * told. `off`: they are not looked at.
 */
export type PolicyMode = "off" | "enforce" | "shadow";

/**
 * A policy as it stands in a file. The root holds for every session, the scopes below it for some.
 * Scopes add up: each can only take away from the session table, except `grant`, which lifts what
 * the table leaves to the operator.
 */
export interface PolicyConfig extends SessionRules {
  /** Where editors find the schema. Means nothing to Haft. */
  $schema?: string;
  /** Default `enforce`. */
  mode?: PolicyMode;
  /** By kind of session. */
  sessions?: Partial<Record<SessionKind, SessionRules>>;
  /** By `provider`, `provider/model` or bare model name; all that fit hold. */
  models?: Readonly<Record<string, SessionRules>>;
  /** By agent id. */
  agents?: Readonly<Record<string, SessionRules>>;
  /** By message channel. */
  channels?: Readonly<Record<string, SessionRules>>;
  /** By group or room. */
  groups?: Readonly<Record<string, SessionRules>>;
  /**
   * By who wrote: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `*` for every known
   * person; `system` for turns the host started, `unknown` when it is not known who. The most
   * particular one holds; rules for a display name (`name:…`) come on top and grant nothing.
   */
  senders?: Readonly<Record<string, SessionRules>>;
  /** Sessions that another one opened for a part of its work. The rules of that one hold as well. */
  subagents?: SessionRules;
}

/** The lists of a scope, in the order in which they are looked at. */
export const ruleLists = ["grant", "deny", "allow", "ask"] as const;
export type RuleList = (typeof ruleLists)[number];

/** The kinds of session there are, in the order in which they are shown. */
export const sessionKinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** The parts of a policy that hold for some sessions each, in the order in which they are looked at. */
export const scopeParts = ["sessions", "models", "agents", "channels", "groups", "senders"] as const;
export type ScopePart = (typeof scopeParts)[number];

export const policyModes = ["off", "enforce", "shadow"] as const;
/** The keys of one scope, and those of a whole document. */
export const ruleKeys = ["profile", ...ruleLists, "exec"] as const;
export const rootKeys = ["$schema", "mode", ...ruleKeys, ...scopeParts, "subagents"] as const;

/**
 * Checks everything about a policy that can be known without the tools of a host.
 *
 * @param value what was parsed from the file
 * @param source the file's name, for messages
 * @param positions tells the line of a key, for messages
 * @throws HaftError `POLICY_INVALID` with every problem and its key path in `details.problems`
 */
export function parsePolicyConfig(
  value: unknown,
  source = "the policy",
  positions?: Positions,
): PolicyConfig {
  const problems = new Problems(positions);
  const config = readPolicyConfig(value, problems);
  if (problems.found.length > 0) throw policyInvalid(source, problems.found);
  return config;
}

/** As {@link parsePolicyConfig}, but collects problems and answers what can be used of the rest. */
export function readPolicyConfig(value: unknown, problems: Problems): PolicyConfig {
  const root = readObject(value, [], rootKeys, problems);
  const config: PolicyConfig = readRules(root, [], problems);
  const mode = readWord(root["mode"], ["mode"], policyModes, problems);
  if (mode !== undefined) config.mode = mode;
  if (root["$schema"] !== undefined && typeof root["$schema"] !== "string")
    problems.add(["$schema"], { message: `Expected text, got ${show(root["$schema"])}.` });
  for (const part of scopeParts) {
    if (root[part] === undefined) continue;
    const scopes = readObject(root[part], [part], part === "sessions" ? sessionKinds : undefined, problems);
    checkKeys(part, Object.keys(scopes), problems);
    config[part] = readScopes(scopes, [part], problems);
  }
  const elevated = config.sessions?.sandboxed?.exec?.elevated;
  if (elevated !== undefined && elevated.mode !== "off") {
    const message = "Sandboxed sessions are never elevated, so it would mean nothing; leave it out.";
    problems.add(["sessions", "sandboxed", "exec", "elevated"], { message });
  }
  if (root["subagents"] !== undefined)
    config.subagents = readScope(root["subagents"], ["subagents"], problems);
  for (const [key, { grant }] of Object.entries(config.senders ?? {})) {
    const sender = parseSenderKey(key);
    if (grant === undefined || "message" in sender || sender.kind !== "name") continue;
    const message =
      "Anybody can choose a display name, so it grants nothing; use id:…, phone:… or username:….";
    problems.add(["senders", key, "grant"], { message });
  }
  return config;
}

function checkKeys(part: ScopePart, keys: readonly string[], problems: Problems): void {
  const seen = new Map<string, string>();
  for (const key of keys) {
    if (part !== "senders") {
      const problem = part === "sessions" ? undefined : nameProblem(part, key);
      if (problem) problems.add([part, key], problem);
      continue;
    }
    const sender = parseSenderKey(key);
    if ("message" in sender) {
      problems.add([part, key], sender);
      continue;
    }
    const same = seen.get(formatSenderKey(sender));
    if (same !== undefined)
      problems.add([part, key], {
        message: `It means the same as ${JSON.stringify(same)}; put both into one.`,
      });
    seen.set(formatSenderKey(sender), key);
  }
}

function readScopes(value: Record<string, unknown>, path: KeyPath, problems: Problems) {
  // fromEntries defines keys, so a key like "__proto__" stays an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, rules]) => [key, readScope(rules, [...path, key], problems)]),
  );
}

function readScope(value: unknown, path: KeyPath, problems: Problems): SessionRules {
  return readRules(readObject(value, path, ruleKeys, problems), path, problems);
}

function readRules(value: Record<string, unknown>, path: KeyPath, problems: Problems): SessionRules {
  const rules: SessionRules = {};
  const profile = readWord(value["profile"], [...path, "profile"], profileNames, problems);
  if (profile !== undefined) rules.profile = profile;
  for (const list of ruleLists) {
    if (value[list] !== undefined) {
      const check = list === "deny" || list === "ask" ? checkForm : checkSelector;
      rules[list] = readTexts(value[list], [...path, list], check, problems);
    }
  }
  if (rules.allow?.length === 0 && Array.isArray(value["allow"])) {
    const message = 'An empty list would allow nothing; leave it out to allow everything, or deny "*".';
    problems.add([...path, "allow"], { message });
  }
  const denied = rules.deny?.map(canonical) ?? [];
  for (const list of ["allow", "grant", "ask"] as const) {
    for (const [index, selector] of (rules[list] ?? []).entries()) {
      const at = denied.indexOf(canonical(selector));
      if (at < 0 || selector === "") continue;
      const message = `"${selector}" is also denied, by ${formatPath([...path, "deny", at])}; deny wins, so remove one.`;
      problems.add([...path, list, index], { message });
    }
  }
  if (value["exec"] !== undefined) rules.exec = readExec(value["exec"], [...path, "exec"], problems);
  return rules;
}

function checkSelector(text: string): { message: string; nearest?: readonly string[] } | undefined {
  const parsed = parseSelector(text);
  return "message" in parsed ? parsed : undefined;
}

/** Whether an effect has to be known, where something is held back, is for whoever knows whose document it is. */
function checkForm(text: string): ReturnType<typeof checkSelector> {
  const parsed = parseSelector(text);
  return "message" in parsed && parsed.unknownEffect === undefined ? parsed : undefined;
}

function canonical(text: string): string {
  const parsed = parseSelector(text);
  return "message" in parsed ? text : formatSelector(parsed);
}
