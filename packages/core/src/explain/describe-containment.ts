import type { ContainmentFacts } from "../contract/policy-port.ts";

/** The view that commands of a session are contained in, in words: `writes in the workspace, network none`. */
export function describeContainment({ mode, network }: ContainmentFacts): string {
  const files = mode === "read-only" ? "read-only" : "writes in the workspace";
  return `${files}, network ${typeof network === "string" ? network : network.join(" ")}`;
}
