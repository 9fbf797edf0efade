import type { GuardRules } from "../../rules/guard-rules.ts";
import type { AgentSettings } from "../agent-settings.ts";
import { pathDenials } from "./path-denials.ts";

/**
 * What an agent's own rules would say of the paths that rules deny to be read; nothing where it has no such rules, or its hook is
 * asked about all files.
 *
 * @param inProject also by files of the workspace
 */
export function nativeRules(
  { id, native }: AgentSettings,
  rules: GuardRules,
  inProject: boolean,
): { rules: string[]; notes: string[] } | undefined {
  return native?.rulesFor(pathDenials(rules, id, inProject));
}
