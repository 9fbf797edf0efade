import { hasInvisible, type PatternProblem } from "../patterns/pattern-problem.ts";
import { canonicalSelector, parseSelector } from "../patterns/selector.ts";
import { checkExec } from "./check-exec.ts";
import {
  type PolicyConfig,
  ruleLists,
  type ScopePart,
  scopeParts,
  type SessionRules,
} from "./policy-config.ts";
import { policyShape } from "./policy-schema.ts";
import {
  checkTexts,
  formatPath,
  type KeyPath,
  policyInvalidError,
  type SourceMap,
  Problems,
} from "./problems.ts";
import { formatSenderKey, parseSenderKey } from "./sender-key.ts";
import { readShape } from "./shape.ts";

/**
 * Checks a policy document without the tools of a host and returns it with its type.
 *
 * @param source The name of the file.
 * @param positions Returns the line of a key.
 * @throws HaftError `POLICY_INVALID` with every problem and its key path in `details.problems`
 * @example
 * ```ts
 * import { parsePolicyConfig } from "@haft/policy";
 *
 * try {
 *   parsePolicyConfig(JSON.parse('{ "denny": ["write"] }'), "haft.policy.json");
 * } catch (error) {
 *   console.error(error); // POLICY_INVALID: it names the key "denny", and "deny" as the nearest.
 * }
 * ```
 */
export function parsePolicyConfig(
  value: unknown,
  source = "the policy",
  positions?: SourceMap,
): PolicyConfig {
  const problems = new Problems(positions);
  const config = readPolicyConfig(value, problems);
  if (problems.items.length > 0) throw policyInvalidError(source, problems.items);
  return config;
}

/** Collects problems and returns the valid rest. */
export function readPolicyConfig(value: unknown, problems: Problems): PolicyConfig {
  const { $schema: _, ...config } = readShape(policyShape(), value, problems) as PolicyConfig;
  checkRules(config, [], problems);
  for (const part of scopeParts) {
    const scopes = Object.entries(config[part] ?? {});
    checkKeys(
      part,
      scopes.map(([key]) => key),
      problems,
    );
    for (const [key, rules] of scopes) checkRules(rules, [part, key], problems);
  }
  const elevated = config.sessions?.sandboxed?.exec?.elevated;
  if (elevated !== undefined && elevated.mode !== "off") {
    const message = "Sandboxed sessions are never elevated, so it has no effect; leave it out.";
    problems.add(["sessions", "sandboxed", "exec", "elevated"], { message });
  }
  if (config.subagents !== undefined) checkRules(config.subagents, ["subagents"], problems);
  for (const [key, { grant }] of Object.entries(config.senders ?? {})) {
    const sender = parseSenderKey(key);
    if (grant === undefined || "message" in sender || sender.kind !== "name") continue;
    const message =
      "Anyone can choose a display name, so it grants nothing; use id:…, phone:… or username:….";
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
    const message = `It means the same as ${JSON.stringify(same)}; merge both.`;
    if (same !== undefined) problems.add([part, key], { message });
    seen.set(formatSenderKey(sender), key);
  }
}

function checkRules(rules: SessionRules, path: KeyPath, problems: Problems): void {
  for (const list of ruleLists) {
    const holdsBack = list === "deny" || list === "ask";
    // The caller knows whether unknown effects are allowed.
    const check = (text: string) => {
      const parsed = parseSelector(text);
      return "message" in parsed && !(holdsBack && parsed.unknownEffect !== undefined) ? parsed : undefined;
    };
    checkTexts(rules[list], [...path, list], check, problems);
  }
  if (rules.allow?.length === 0 && !problems.has([...path, "allow"])) {
    const message = 'An empty list would allow nothing; leave it out to allow everything, or deny "*".';
    problems.add([...path, "allow"], { message });
  }
  const denied = rules.deny?.map(canonicalSelector) ?? [];
  for (const list of ["allow", "grant", "ask"] as const) {
    for (const [index, selector] of (rules[list] ?? []).entries()) {
      const at = denied.indexOf(canonicalSelector(selector));
      if (at < 0 || selector === "") continue;
      const message = `"${selector}" is also denied, by ${formatPath([...path, "deny", at])}; deny wins, so remove one.`;
      problems.add([...path, list, index], { message });
    }
  }
  if (rules.exec !== undefined) checkExec(rules.exec, [...path, "exec"], problems);
}

/** Returns why a key could never match. */
function nameProblem(part: string, name: string): PatternProblem | undefined {
  const nearest = [name.trim()].filter(Boolean);
  if (name === "" || name !== name.trim())
    return { message: "The name is empty or padded with spaces, so it never matches.", nearest };
  const shown = JSON.stringify(name);
  if (hasInvisible(name)) return { message: `${shown} has an invisible character; write the name again.` };
  if (part === "models" && /^\*?\/|\/\*?$/.test(name)) {
    const message = `${shown} is not a model: write only a provider ("acme"), or only a model for any provider ("large").`;
    return { message, nearest: [name.replaceAll(/^(?:\*?\/)+|(?:\/\*?)+$/g, "")].filter(Boolean) };
  }
  if (!name.includes("*")) return undefined;
  const all = `rules for all ${part} belong at the root${part === "models" ? ', rules for a provider under its name ("acme")' : ""}`;
  return { message: `${shown}: names are compared as they are, without wildcards; ${all}.` };
}
