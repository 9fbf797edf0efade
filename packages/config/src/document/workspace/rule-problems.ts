import { type ToolFacts, HaftError, getErrorMessage } from "@haft/core";
import { createPolicy, type PolicyProblem, type WorkspacePolicy } from "@haft/policy";
import { configInvalidError } from "../config-invalid.ts";
import type { Configuration } from "../find-configuration.ts";
import type { WorkspaceConfig } from "../read-config.ts";
import { dropUntrustedLoosening } from "./workspace-rules.ts";

/** Returns the workspace rules that are valid with these tools. Invalid rules are reported and do not affect others. */
export function selectUsableRules(
  { workspace, candidates }: Configuration,
  tools: readonly ToolFacts[],
): WorkspaceConfig[] {
  return workspace.flatMap((rules) => {
    const problem = findRuleProblem(rules, tools);
    if (problem === undefined) return [rules];
    for (const candidate of candidates) {
      if (candidate.path === rules.file && candidate.as === "workspace")
        Object.assign(candidate, { outcome: "passed over", why: getErrorMessage(problem) });
    }
    const left = dropUntrustedLoosening(rules);
    return rules.trusted === true && findRuleProblem(left, tools) === undefined ? [left] : [];
  });
}

/** Returns the first problem of workspace rules. @param partial the list of tools is incomplete */
export function findRuleProblem(
  rules: WorkspacePolicy,
  tools: readonly ToolFacts[],
  partial = false,
): HaftError | undefined {
  try {
    createPolicy({}, { tools, partial, workspace: [rules] });
    return undefined;
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    const found = thrown.details?.["problems"] as readonly PolicyProblem[];
    return configInvalidError(
      rules.source,
      found.map((problem) => ({ ...problem, path: ["policy", problem.path].filter(Boolean).join(".") })),
    );
  }
}
