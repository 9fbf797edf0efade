import { type ToolFacts, HaftError, getErrorMessage } from "@haft/core";
import { createPolicy, type PolicyProblem, type WorkspacePolicy } from "@haft/policy";
import { configInvalidError } from "../config-invalid.ts";
import type { Configuration } from "../find-configuration.ts";
import type { WorkspaceConfig } from "../read-config.ts";
import { dropUntrustedLoosening } from "./workspace-rules.ts";

/**
 * The rules of the workspace that can be used with these tools. Those that cannot are told of, and leave what others say in
 * force; where they were found is noted.
 */
export function selectUsableRules(
  { workspace, candidates }: Configuration,
  tools: readonly ToolFacts[],
): WorkspaceConfig[] {
  return workspace.flatMap((rules) => {
    const problem = findRuleProblem(rules, tools);
    if (problem === undefined) return [rules];
    for (const place of candidates) {
      if (place.path === rules.file && place.as === "workspace")
        Object.assign(place, { outcome: "passed over", why: getErrorMessage(problem) });
    }
    // What tightens goes on.
    const left = dropUntrustedLoosening(rules);
    return rules.trusted === true && findRuleProblem(left, tools) === undefined ? [left] : [];
  });
}

/** What is wrong with rules of a workspace, if anything. @param partial these are not all tools there are */
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
