import { parseSelector, readSelector } from "../patterns/selector.ts";
import { checkTightening, checkTrusted } from "../read/check-tightening.ts";
import { isOfWorkspace } from "../read/document.ts";
import { readPolicyConfig } from "../read/parse-policy.ts";
import { checkRule } from "../rules/check-rule.ts";
import type { CheckSource } from "../rules/compile-policy.ts";
import { checkShadowed } from "../rules/shadowed.ts";

/** Checks everything about a document, its rules against the tools of a host too. */
export const checkSource: CheckSource = ({ document, config }, problems) => {
  if (isOfWorkspace(document)) checkTightening(config, problems);
  // What it may not say is told, and of what else is wrong with that nothing.
  const checked = problems.found.length > 0 ? {} : readPolicyConfig(config, problems);
  const readEntry = problems.found.length === 0 ? readSelector : parseSelector;
  if (document.owner.startsWith("trusted ")) checkTrusted(checked, problems);
  if (document.owner === "administrator" && checked.mode !== undefined && checked.mode !== "enforce") {
    const message = `The administrator's document always holds, so it cannot be "${checked.mode}"; leave it out.`;
    problems.add(["mode"], { message });
  }
  return { config: checked, readEntry, checks: { rule: checkRule, lists: checkShadowed } };
};
