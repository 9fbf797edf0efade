import type { GuardRules } from "../../rules/guard-rules.ts";
import type { AgentSettings } from "../agent-settings.ts";
import { pathDenials } from "./path-denials.ts";

/**
 * Returns rules of an agent for paths that the policy denies to read; `undefined` if it does not need them.
 *
 * @param inProject Includes workspace rules.
 *
 * @example
 * ```ts
 * import { allSettings, nativeRules, readCurrentRules } from "@haft/guard/internal/agents";
 * const { rules } = await readCurrentRules("claude", undefined, process.cwd());
 * const native = nativeRules(allSettings.get("claude")!, rules, false);
 * ```
 */
export function nativeRules(
  { id, native }: AgentSettings,
  rules: GuardRules,
  inProject: boolean,
): { rules: string[]; notes: string[] } | undefined {
  return native?.rulesFor(pathDenials(rules, id, inProject));
}
