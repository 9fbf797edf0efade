import type { ContainmentFacts } from "@haft/core";
import {
  compileHostPattern,
  formatHost,
  type HostPattern,
  matchesHost,
  narrowerHost,
} from "../patterns/host-pattern.ts";

export type NetworkRules = ContainmentFacts["network"];

export function narrowerNetwork(one: NetworkRules, other: NetworkRules): NetworkRules {
  if (one === "none" || other === "none") return "none";
  if (one === "full") return other;
  if (other === "full") return one;
  const others = listRuleHosts(other);
  const both = listRuleHosts(one).flatMap((host) => others.flatMap((each) => narrowerHost(host, each) ?? []));
  return both.length === 0 ? "none" : [...new Set(both.map(formatHost))];
}

export function isNarrower(one: NetworkRules, other: NetworkRules): boolean {
  if (one === "none" || other === "full") return true;
  if (one === "full" || other === "none") return false;
  const others = listRuleHosts(other);
  return one.every((text) => {
    const host = compileHostPattern(text);
    return !("message" in host) && others.some((outer) => narrowerHost(host, outer) === host);
  });
}

/** Returns the valid hosts of a list. Invalid entries match nothing. */
export function listRuleHosts(network: NetworkRules): readonly HostPattern[] {
  if (typeof network === "string") return [];
  return network.flatMap((text) => {
    const host = compileHostPattern(text);
    return "message" in host ? [] : host;
  });
}

/**
 * Returns whether a network includes a host.
 *
 * @param host A name in lower case, or an address without brackets.
 * @example
 * ```ts run
 * import { reachesHost } from "@haft/policy";
 *
 * reachesHost(["*.example.com"], "api.example.com"); // => true
 * reachesHost("none", "api.example.com"); // => false
 * ```
 */
export function reachesHost(network: ContainmentFacts["network"], host: string): boolean {
  if (network === "full") return true;
  return listRuleHosts(network).some((pattern) => matchesHost(pattern, host));
}
