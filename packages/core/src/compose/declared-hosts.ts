import type { CallPlan } from "../contract/plan.ts";
import { isListOfText } from "../parameters/schema/value-kinds.ts";
import { fitsHost, isHostPattern } from "../patterns/host-name.ts";

/** What is wrong with `hosts` of a tool, a registration or a plugin: the end of a sentence. */
export function problemWithHosts(hosts: unknown): string | undefined {
  if (hosts === undefined) return undefined;
  if (!isListOfText(hosts) || hosts.length === 0)
    return "hosts must be a list of names such as api.example.com (leave it out where any host is contacted)";
  const wrong = hosts.find((host) => !isHostPattern(host));
  return wrong === undefined
    ? undefined
    : `hosts has ${JSON.stringify(wrong)}; write a name or an address alone in lower case, or *.example.com, without https://, port or path`;
}

export function beyond(
  hosts: readonly string[] = [],
  outer: readonly string[] | undefined,
): readonly string[] {
  return outer === undefined ? [] : hosts.filter((host) => !outer.some((pattern) => fitsHost(pattern, host)));
}

/** What calls of a tool are about that plans nothing and says which hosts it contacts. */
export function planOfHosts(hosts: unknown): (() => CallPlan) | undefined {
  if (!isListOfText(hosts) || hosts.some((host) => host.startsWith("*"))) return undefined;
  return () => ({ subjects: { hosts } });
}
