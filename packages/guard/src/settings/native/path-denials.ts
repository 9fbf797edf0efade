import type { PolicyConfig, SessionRules } from "@haft/policy";
import type { GuardRules } from "../../rules/guard-rules.ts";

export interface PathDenials {
  all: boolean;
  paths: readonly string[];
  /** Entries that are about more than a path, so that they are not said of paths alone. */
  narrower: readonly string[];
}

/** Targets that reading a file is among. */
const READS = /^(?:\*|read|files|files\/read|files\/\*|group:fs|effect:read)(?:\((.*)\))?$/s;

/**
 * The paths that an agent is denied to read, whatever else a call is about.
 *
 * @param inProject also by files of the workspace
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
    // What asks of an argument asks about calls, and a file that is named in a prompt is none.
    else if (condition.startsWith("arg:")) narrower.push(entry);
  }
  return { all, paths: [...paths], narrower };
}

function denialsOf(config: PolicyConfig, agent: string): string[] {
  const scopes: (SessionRules | undefined)[] = [config, config.sessions?.main, config.agents?.[agent]];
  return scopes.flatMap((rules) => rules?.deny ?? []);
}
