import type { PolicyConfig, SessionRules } from "@haft/policy";
import type { GuardRules } from "../../rules/guard-rules.ts";

/** `all` means every path. */
export interface PathDenials {
  all: boolean;
  paths: readonly string[];
  /** Entries that paths cannot express. */
  narrower: readonly string[];
}

const READS = /^(?:\*|read|files|files\/read|files\/\*|group:fs|effect:read)(?:\((.*)\))?$/s;

/**
 * Returns the paths that an agent may never read.
 *
 * @param inProject Includes workspace rules.
 *
 * @example
 * ```ts
 * import { pathDenials, readCurrentRules } from "@haft/guard/internal/agents";
 * const { rules } = await readCurrentRules("claude", undefined, process.cwd());
 * const { all, paths } = pathDenials(rules, "claude", true);
 * ```
 */
export function pathDenials(
  { administrator, policy, workspace }: GuardRules,
  agent: string,
  inProject: boolean,
): PathDenials {
  const holds = policy?.config.mode === undefined || policy.config.mode === "enforce";
  const documents = [administrator, holds ? policy : undefined, ...(inProject ? workspace : [])];
  const entries = documents.flatMap((each) => (each === undefined ? [] : denialsOf(each.config, agent)));
  const paths = new Set<string>();
  const narrower: string[] = [];
  let all = false;
  for (const entry of entries) {
    const found = READS.exec(entry);
    if (found === null) continue;
    const [, condition] = found;
    if (condition === undefined) all = true;
    else if (/(?<!\\), (?:path|host|arg|node|command):/.test(condition)) narrower.push(entry);
    else if (condition.startsWith("path:")) paths.add(condition.slice("path:".length));
    // A file in a prompt is not a call with arguments.
    else if (condition.startsWith("arg:")) narrower.push(entry);
  }
  return { all, paths: [...paths], narrower };
}

function denialsOf(config: PolicyConfig, agent: string): string[] {
  const scopes: (SessionRules | undefined)[] = [config, config.sessions?.main, config.agents?.[agent]];
  return scopes.flatMap((rules) => rules?.deny ?? []);
}
