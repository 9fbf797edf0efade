import { dedupeByRule } from "@haft/config/internal/document";
import { getErrorMessage } from "@haft/core";
import type { SessionRules } from "@haft/policy";
import { didYouMean } from "@haft/utils";
import { getAgent } from "../agents/agents.ts";
import type { AgentId } from "../contract/payload.ts";
import { guardTools } from "../decide/judge.ts";
import { toPositions } from "../rules/guard-policy.ts";
import type { GuardRules, RulesDocument } from "../rules/guard-rules.ts";
import { guardWarnings, listExecGates } from "../rules/guard-warnings.ts";
import { readGuardRules } from "../rules/read-rules.ts";
import { createValidatedPolicy } from "../rules/validated-policy.ts";

export interface CurrentRules {
  rules: GuardRules;
  warnings: readonly string[];
  problem?: string;
}

/**
 * Reads the current rules for an agent in a folder.
 *
 * @param policyFile Replaces the configuration.
 * @param keeps Records the files, to notice a removal. Default false.
 *
 * @throws HaftError `GUARD_AGENT_UNKNOWN`
 * @example
 * ```ts
 * import { readCurrentRules } from "@haft/guard/internal/agents";
 * const { problem, warnings } = await readCurrentRules("claude", undefined, process.cwd());
 * if (problem !== undefined) console.error(problem);
 * ```
 */
export async function readCurrentRules(
  agent: string,
  policyFile: string | undefined,
  folder: string,
  keeps = false,
): Promise<CurrentRules> {
  const known = getAgent(agent);
  const rules = await readGuardRules({ policyFile, folders: [folder] }, guardTools(known), { notes: keeps });
  if (rules.broken !== undefined) return { rules, warnings: [], problem: rules.broken.problem };
  try {
    createValidatedPolicy(rules, known);
    return { rules, warnings: warningsOf(rules) };
  } catch (thrown) {
    return { rules, warnings: [], problem: getErrorMessage(thrown) };
  }
}

function warningsOf({ administrator, policy, workspace }: GuardRules): string[] {
  const documents = [
    [administrator, "administrator"],
    [policy, "policy"],
    ...workspace.map((each) => [each, "workspace"] as const),
  ] as const;
  return documents.flatMap(([document, owner]) =>
    document === undefined
      ? []
      : dedupeByRule(guardWarnings(document.config, document.source, toPositions(document), owner)).map(
          ({ path, line, message, nearest = [] }) =>
            `warning: ${document.source}${line === undefined ? "" : `:${line}`}: ${path}: ${message}${didYouMean(nearest)}`,
        ),
  );
}

/** Returns a sentence if no rule decides about calls of the agent. */
export function describeMissingRules(
  rules: GuardRules,
  agent: AgentId,
  policyFile: string | undefined,
): string | undefined {
  const why = explainMissingRules(rules, agent);
  if (why === undefined) return undefined;
  const file = policyFile === undefined || why.includes(policyFile) ? "" : ` (${policyFile})`;
  return `The guard decides nothing here, because ${why}${file}. All calls pass, including commands that cannot be parsed, except changes of the guard itself.`;
}

function explainMissingRules(
  { administrator, policy, workspace }: GuardRules,
  agent: AgentId,
): string | undefined {
  const { mode = "enforce" } = policy?.config ?? {};
  const holding = [administrator, mode === "enforce" ? policy : undefined, ...workspace];
  if (holding.some((each) => each !== undefined && scopesFor(each, agent).some(hasEntries))) return undefined;
  if (mode !== "enforce") return `mode is ${mode} in ${policy!.source}`;
  const isForOthers = holding.some((each) => each !== undefined && hasRules(each));
  return isForOthers ? `no rule applies to calls of ${agent}` : "no rules apply here";
}

/** Calls of agents have no group, no channel and an unknown sender. */
function scopesFor({ config }: RulesDocument, agent: AgentId): (SessionRules | undefined)[] {
  const { sessions, models = {}, agents = {}, senders = {}, subagents } = config;
  return [config, sessions?.main, ...Object.values(models), agents[agent], senders["unknown"], subagents];
}

function hasEntries(rules: SessionRules | undefined): boolean {
  const { profile, allow, deny = [], ask = [], grant = [], exec = {} } = rules ?? {};
  // An empty `allow` allows nothing.
  const lists = [deny, ask, grant, listExecGates(exec)];
  return profile !== undefined || allow !== undefined || lists.some((list) => list.length > 0);
}

function hasRules({ config }: RulesDocument): boolean {
  return Object.entries(config).some(
    ([key, value]) =>
      key !== "$schema" &&
      typeof value === "object" &&
      value !== null &&
      Object.keys(value as object).length > 0,
  );
}
