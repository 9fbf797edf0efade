import { matchesHostName, isHostPattern } from "@haft/utils";
import type { CallPlan } from "../contract/plan.ts";
import { isStringArray } from "../parameters/schema/value-kinds.ts";

export function findHostsProblem(hosts: unknown): string | undefined {
  if (hosts === undefined) return undefined;
  if (!isStringArray(hosts) || hosts.length === 0)
    return "hosts must be a list of names such as api.example.com (leave it out for a tool that contacts any host)";
  const wrong = hosts.find((host) => !isHostPattern(host));
  return wrong === undefined
    ? undefined
    : `hosts has ${JSON.stringify(wrong)}; write a name or an address alone in lower case, or *.example.com, without https://, port or path`;
}

export function findUndeclaredHosts(
  hosts: readonly string[] = [],
  outer: readonly string[] | undefined,
): readonly string[] {
  return outer === undefined
    ? []
    : hosts.filter((host) => !outer.some((pattern) => matchesHostName(pattern, host)));
}

export function createHostsPlan(hosts: unknown): (() => CallPlan) | undefined {
  if (!isStringArray(hosts) || hosts.some((host) => host.startsWith("*"))) return undefined;
  return () => ({ subjects: { hosts } });
}
